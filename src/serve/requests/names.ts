/** Names of what is served: segments of a path, each of which is checked before any file is looked at. */

import { Refusal } from "./failure.js";

/** Of a file system's name in bytes, and of folders within each other. */
const LONGEST_NAME = 255;
const DEEPEST = 64;

/**
 * The segments of a path, given whole or in parts: `["sub/pbmc.h5ad", "obs"]` is `["sub", "pbmc.h5ad", "obs"]`.
 * @throws {Refusal} where a segment is empty, or there are too many.
 */
export function pathSegments(parts: readonly string[]): string[] {
  const segments = parts.flatMap((part) => part.split("/"));
  if (segments.length === 0 || segments.includes("")) {
    throw new Refusal("invalid", `${JSON.stringify(parts.join("/"))} is no path: a part of it is empty`);
  }
  if (segments.length > DEEPEST) {
    throw new Refusal("invalid", `a path of ${segments.length} parts, at most ${DEEPEST}`);
  }
  return segments;
}

/** Whether a file of that name may be served: not hidden, not above its folder, nothing that another system reads as a path. */
export function isServedName(name: string): boolean {
  return (
    name !== "" &&
    !name.startsWith(".") &&
    !/[/\\:\p{Cc}]/u.test(name) &&
    isWellFormed(name) &&
    new TextEncoder().encode(name).length <= LONGEST_NAME
  );
}

/** @throws {Refusal} where no file of that name is served. */
export function checkServedName(name: string): void {
  if (!isServedName(name))
    throw new Refusal("invalid", `${JSON.stringify(name.slice(0, 100))} is no name that is served`);
}

/** Whether it has no half of a surrogate pair, which UTF-8 has no form for. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}
