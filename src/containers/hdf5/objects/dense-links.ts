/**
 * Where a newer group keeps its links: few in its header, many in a heap, with a tree of their names' hashes. Source:
 * HDF5 File Format Specification, III.A.2 (records of type 5), IV.A.2.c.
 */

import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { treeRecords } from "../file/version-2-tree.js";
import { FractalHeap } from "../heaps/fractal-heap.js";
import { type DenseStorage, denseStorage } from "./dense-storage.js";
import type { Link } from "./link.js";
import { parseLink } from "./link-message.js";

const BY_NAME = 5;

/**
 * @param body of a link info message.
 * @returns null where the links stand in the header.
 * @throws {InvalidDataError} where the message is damaged.
 */
export function parseLinkInfo(body: Uint8Array, file: Hdf5File): DenseStorage | null {
  const cursor = new Cursor(body, "link info");
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`link info has version ${version}; only 0 exists`);
  if (cursor.u8() & 1) cursor.skip(8);
  return denseStorage(cursor, "links", file);
}

/**
 * @returns in the order of the hashes, that is none.
 * @throws {InvalidDataError} where heap, tree or a link is damaged.
 */
export async function readDenseLinks(
  file: Hdf5File,
  { heap: address, names }: DenseStorage,
  options?: ReadOptions,
): Promise<[string, Link][]> {
  const heap = await FractalHeap.open(file, address, options);
  const links: [string, Link][] = [];
  for await (const record of treeRecords(file, names, BY_NAME, options)) {
    // The hash comes first, which only a search for one name needs.
    const id = record.subarray(4);
    links.push(parseLink(await heap.object(id, options), file.sizes));
  }
  return links;
}
