/** Where many links or attributes lie: in a heap, with a tree of their names' hashes. */

import { InvalidDataError } from "../../../model/errors.js";
import type { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/file-bytes.js";

/** Addresses of the heap and of the tree. */
export interface DenseStorage {
  readonly heap: number;
  readonly names: number;
}

/**
 * @param cursor at the two addresses in an info message; `what` is "links" or "attributes".
 * @returns null where they stand in the header.
 * @throws {InvalidDataError} where there is a heap without a tree.
 */
export function denseStorage(cursor: Cursor, what: string, { sizes }: Hdf5File): DenseStorage | null {
  const heap = cursor.optional(sizes.offsets);
  if (heap === null) return null;
  const names = cursor.optional(sizes.offsets);
  if (names === null) throw new InvalidDataError(`${what} in the heap at ${heap} have no tree of names`);
  return { heap, names };
}
