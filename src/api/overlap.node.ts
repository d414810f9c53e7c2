/** Rejects outputs that are inside an open input or contain one. */

import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findFileScheme } from "../io/schemes/registry.js";
import type { FileScheme } from "../io/schemes/scheme.js";
import { getOpenPaths } from "../io/sources/file.node.js";
import { InvalidInputError } from "../model/errors.js";

/**
 * Refuses an output inside an open folder, because the output would change the folder while it is read. Also refuses an
 * output folder that contains an open file or folder, which would be removed together with the output folder. Links,
 * other spellings and other letter cases of a path count as the same path.
 *
 * The open file or folder itself may be replaced with its complete content, because it is read to the end before the
 * new one replaces it. A hard link may also be replaced, because the other name keeps its content. A part of an open
 * file must not replace the file, since the rest would be lost.
 * @param whole the input if only a part of it is written; null if all of it is written.
 * @param input the input, which may be an address in an object store. Such inputs are not tracked as open.
 * @throws {InvalidInputError} with a message that names both paths.
 */
export async function refuseOverlap(
  output: string,
  whole: string | null = null,
  input: string | null = whole,
): Promise<void> {
  const scheme = findFileScheme(output);
  if (scheme !== null) return refuseAddresses(input === null ? [] : [input], output, scheme, whole === null);
  const place = await placeOf(output);
  if (whole !== null && place.own !== null && (await identityOf(whole)) === place.own) {
    throw refused(output, "is the input, of which only a part would be left; choose another name");
  }
  for (const path of getOpenPaths()) {
    const opened = await inputPlace(path);
    const relation = opened === null ? null : relationOf(place, opened);
    if (relation === "inside") {
      throw refused(output, `lies in ${path}, which is open as an input; write it beside that, not into it`);
    }
    if (relation === "around") {
      throw refused(output, `holds ${path}, which is open as an input, and would be replaced with it`);
    }
  }
}

/**
 * Refuses outputs that are an input, are inside an input, or contain an input. URLs and inputs that do not exist are
 * skipped.
 * @throws {InvalidInputError} with a message that names both paths.
 */
export async function refuseInputs(inputs: readonly string[], outputs: readonly string[]): Promise<void> {
  const places: Place[] = [];
  for (const input of inputs) {
    const place = await inputPlace(pathOf(input));
    if (place !== null) places.push({ ...place, path: input });
  }
  for (const output of outputs) {
    const scheme = findFileScheme(output);
    if (scheme !== null) {
      refuseAddresses(inputs, output, scheme);
      continue;
    }
    const place = await placeOf(output);
    for (const input of places) {
      refuseRelated(output, relationOf(place, input), input.path);
    }
  }
}

/**
 * Refuses an output at an address that is an input, is inside an input, or contains an input.
 * @param mayReplace whether the output may be an input.
 */
function refuseAddresses(inputs: readonly string[], output: string, scheme: FileScheme, mayReplace = false): void {
  const place = scheme.normalizeAddress(output);
  for (const input of inputs) {
    const own = findFileScheme(input)?.normalizeAddress(input);
    if (own === undefined) continue;
    if (own === place && !mayReplace) refuseRelated(output, "same", input);
    if (own.startsWith(`${place}/`)) refuseRelated(output, "around", input);
    if (place.startsWith(`${own}/`)) refuseRelated(output, "inside", input);
  }
}

/** @throws {InvalidInputError} for an output that is an input, is inside an input, or contains an input. */
function refuseRelated(output: string, relation: Relation | null, input: string): void {
  switch (relation) {
    case "same":
      throw refused(output, `is the input ${input}; choose another name`);
    case "around":
      throw refused(output, `holds the input ${input}`);
    case "inside":
      throw refused(output, `lies in the input ${input}`);
    case null:
      return;
    default:
      relation satisfies never;
  }
}

function refused(source: string, problem: string): InvalidInputError {
  return new InvalidInputError(problem, { source });
}

/** A path, the identity of the file or folder there (null if there is none), and the folders that contain it. */
interface Place {
  readonly path: string;
  readonly own: string | null;
  readonly above: ReadonlySet<string>;
}

/** The relation of an output to an input: it is the input, is inside it, or contains it. */
type Relation = "same" | "inside" | "around";

/** Returns the location of a path after links are resolved. The path need not exist. */
async function placeOf(path: string): Promise<Place> {
  const real = await realPlace(resolve(path));
  return { path, own: await identityOf(real), above: await identitiesAbove(real) };
}

/** Returns the location of an input; null if it has none, such as a URL. */
async function inputPlace(path: string): Promise<Place | null> {
  const real = await realpath(path).catch(() => null);
  return real === null ? null : { ...(await placeOf(real)), path };
}

/** Returns whether an output is the input, is inside it, or contains it; null if they are unrelated. */
function relationOf(output: Place, input: Place): Relation | null {
  if (output.own !== null && output.own === input.own) return "same";
  if (input.own !== null && output.above.has(input.own)) return "inside";
  return output.own !== null && input.above.has(output.own) ? "around" : null;
}

function pathOf(input: string): string {
  return input.startsWith("file:") ? fileURLToPath(input) : input;
}

/** Returns the path with links resolved. If the path does not exist yet, only its existing part is resolved. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  const folder = dirname(path);
  return folder === path ? path : resolve(await realPlace(folder), path.slice(folder.length).replace(/^[/\\]+/, ""));
}

/** Returns an identity for a file or folder that does not depend on the path's spelling; null if it does not exist. */
async function identityOf(path: string): Promise<string | null> {
  const info = await stat(path, { bigint: true }).catch(() => null);
  return info === null ? null : `${info.dev},${info.ino}`;
}

/** Returns the identities of the folders that contain `path`. */
async function identitiesAbove(path: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = dirname(path), last = path; at !== last; last = at, at = dirname(at)) {
    const identity = await identityOf(at);
    if (identity !== null) found.add(identity);
  }
  return found;
}
