/**
 * Dense storage keeps many links or large attributes in a fractal heap, with a version 2 B-tree of the hashes of their
 * names. Source: HDF5 File Format Specification, III.A.2 (records of type 5 and 8), IV.A.2.c, IV.A.2.v.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { readTreeRecords } from "../file/version-2-tree.js";
import { FractalHeap } from "../heaps/fractal-heap.js";
import { type AttributeMessage, parseAttribute } from "./attribute.js";
import { type Link, parseLink } from "./link.js";
import { MESSAGE, SHARED } from "./object-header.js";

/** The addresses of the heap and of the tree. */
export interface DenseStorage {
  readonly heap: number;
  readonly names: number;
}

/**
 * @param cursor a cursor at the two addresses in an info message; `what` is "links" or "attributes".
 * @returns null if the links or attributes are in the header.
 * @throws {InvalidDataError} if there is a heap without a tree.
 */
function denseStorage(cursor: Cursor, what: string, { sizes }: Hdf5File): DenseStorage | null {
  const heap = cursor.optional(sizes.offsets);
  if (heap === null) return null;
  const names = cursor.optional(sizes.offsets);
  if (names === null) throw new InvalidDataError(`${what} in the heap at ${heap} have no tree of names`);
  return { heap, names };
}

export interface DenseAttributes extends DenseStorage {
  /** True if the creation order is known. */
  readonly ordered: boolean;
}

const ATTRIBUTES_BY_NAME = 8;

/** Maximum number of attributes, which is more than any real object has. */
const MAX_ATTRIBUTES = 2 ** 16;

/**
 * @param body the body of an attribute info message.
 * @returns null if the attributes are in the header.
 * @throws {InvalidDataError} if the message is damaged.
 */
export function parseAttributeInfo(body: Uint8Array, file: Hdf5File): DenseAttributes | null {
  const cursor = new Cursor(body, "attribute info");
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`attribute info has version ${version}; only 0 exists`);
  const flags = cursor.u8();
  if (flags & 1) cursor.skip(2);
  const dense = denseStorage(cursor, "attributes", file);
  return dense && { ...dense, ordered: (flags & 1) !== 0 };
}

/**
 * @returns the attributes in creation order if the file records it, otherwise by name.
 * @throws {InvalidDataError} if the heap, the tree or an attribute's message is damaged.
 * @throws {UnsupportedError} for too many attributes.
 */
export async function readDenseAttributes(
  file: Hdf5File,
  { heap: address, names, ordered }: DenseAttributes,
  options?: ReadOptions,
): Promise<AttributeMessage[]> {
  const heap = await FractalHeap.open(file, address, options);
  const found: { readonly order: number; readonly message: AttributeMessage }[] = [];
  for await (const record of readTreeRecords(file, names, ATTRIBUTES_BY_NAME, options)) {
    if (found.length >= MAX_ATTRIBUTES) throw new UnsupportedError(`more than ${MAX_ATTRIBUTES} attributes`);
    const cursor = new Cursor(record, "record of an attribute");
    const id = cursor.take(heap.idBytes);
    const isShared = (cursor.u8() & SHARED) !== 0;
    if (isShared && file.sharedHeaps === null)
      throw new InvalidDataError("attribute in a shared message heap, of which the file has none");
    const order = cursor.u32();
    const body = isShared ? await file.sharedHeaps?.find(MESSAGE.attribute, id, options) : null;
    found.push({ order, message: parseAttribute(body ?? (await heap.object(id, options)), file) });
  }
  found.sort((a, b) => (ordered ? a.order - b.order : compare(a.message.name, b.message.name)));
  return found.map(({ message }) => message);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const LINKS_BY_NAME = 5;

/**
 * @param body the body of a link info message.
 * @returns null if the links are in the header.
 * @throws {InvalidDataError} if the message is damaged.
 */
export function parseLinkInfo(body: Uint8Array, file: Hdf5File): DenseStorage | null {
  const cursor = new Cursor(body, "link info");
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`link info has version ${version}; only 0 exists`);
  if (cursor.u8() & 1) cursor.skip(8);
  return denseStorage(cursor, "links", file);
}

/**
 * @returns the links in the order of their hashes, which is arbitrary.
 * @throws {InvalidDataError} if the heap, the tree or a link is damaged.
 */
export async function readDenseLinks(
  file: Hdf5File,
  { heap: address, names }: DenseStorage,
  options?: ReadOptions,
): Promise<[string, Link][]> {
  const heap = await FractalHeap.open(file, address, options);
  const links: [string, Link][] = [];
  for await (const record of readTreeRecords(file, names, LINKS_BY_NAME, options)) {
    // The record begins with the hash, which is needed only to search for a single name.
    const id = record.subarray(4);
    links.push(parseLink(await heap.object(id, options), file.sizes));
  }
  return links;
}
