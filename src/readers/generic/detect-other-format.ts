/**
 * Detects signs that a file was written in another format although no reader recognized that format. Either such a file
 * is damaged, or a part of it was opened by its path. It must not silently be read as generic tables.
 */

import type { Container, Group } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { isAnnarrowError } from "../../model/errors.js";
import { findEnding, listFormats } from "../../model/formats/registry.js";

/** Root attributes that identify files of other formats. */
const MARKS = ["encoding-type", "encoding-version", "LOOM_SPEC_VERSION", "spatialdata_attrs"];

/** Maximum number of the root's children that are examined. */
const LOOKED_AT = 32;

/**
 * Returns a sign of another format, for an error message; null if there is none.
 * @param keys the names of the root's children.
 */
export async function detectOtherFormat(
  container: Pick<Container, "name">,
  root: Group,
  keys: readonly string[],
  options: ReadOptions,
): Promise<string | null> {
  const promise = findEnding(nameOf(container.name), promisedEndings());
  if (promise !== null) return `its name ends with .${promise}`;
  const mark = MARKS.find((name) => root.attributes.has(name));
  if (mark !== undefined) return `it has the attribute ${mark}`;
  for (const key of keys.slice(0, LOOKED_AT)) {
    try {
      const { attributes } = await root.open(key, options);
      if (attributes.has("encoding-type")) return `${key} has the attribute encoding-type`;
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
    }
  }
  return null;
}

/** Returns the file extensions that promise another format. */
function promisedEndings(): ReadonlySet<string> {
  const promised = listFormats().filter(({ isPromised = false }) => isPromised);
  return new Set(promised.flatMap(({ stores }) => Object.keys(stores).filter((name) => stores[name].kind === "file")));
}

/** Returns a file's name without the query or fragment of its URL. */
function nameOf(source: string): string {
  return /^https?:/i.test(source) && URL.canParse(source) ? new URL(source).pathname : source;
}
