/** Names of datasets and tables: path segments, which are validated before any file access. */

import { SUFFIX } from "annarrow/core/query";
import { RequestError } from "./failure.js";

/** Maximum length in bytes of a name in a file system, and maximum depth of folders. */
const LONGEST_NAME = 255;
const DEEPEST = 64;

/**
 * Splits path parts into segments: `["sub/pbmc.h5ad", "obs"]` becomes `["sub", "pbmc.h5ad", "obs"]`.
 * @throws {RequestError} for an empty segment, and for too many segments.
 */
export function splitPathSegments(parts: readonly string[]): string[] {
  const segments = parts.flatMap((part) => part.split("/"));
  if (segments.length === 0 || segments.includes("")) {
    throw new RequestError("invalid", `${JSON.stringify(parts.join("/"))} is no path: a part of it is empty`);
  }
  if (segments.length > DEEPEST) {
    throw new RequestError("invalid", `a path of ${segments.length} parts, at most ${DEEPEST}`);
  }
  return segments;
}

/**
 * Whether a file with this name may be served. It must not be hidden or the companion of another file, and no operating
 * system may interpret it as a path.
 */
export function isServedName(name: string): boolean {
  return (
    name !== "" &&
    !name.startsWith(".") &&
    !name.endsWith(SUFFIX) &&
    !/[/\\:\p{Cc}]/u.test(name) &&
    isWellFormed(name) &&
    new TextEncoder().encode(name).length <= LONGEST_NAME
  );
}

/** @throws {RequestError} for a name under which no file may be served. */
export function checkServedName(name: string): void {
  if (!isServedName(name))
    throw new RequestError("invalid", `${JSON.stringify(name.slice(0, 100))} is no name that is served`);
}

/** Whether the text has no unpaired surrogates, which UTF-8 cannot represent. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}
