/**
 * The records of a version 2 B-tree, which indexes links, attributes, large heap objects and chunks in files since HDF5
 * 1.8. Source: HDF5 File Format Specification, III.A.2.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "./hdf5-file.js";

/** A maximum depth that even a tree of 2^53 records does not reach. */
const MAX_DEPTH = 32;

/** Maximum size of a node in bytes. Libraries write nodes of 512 and 2048 bytes, but larger nodes can be crafted. */
const MAX_NODE_BYTES = 2 ** 28;

/** Number of bytes for signature, version and type before the records, and for the checksum after them. */
const NODE_FIXED = 10;

interface Tree {
  readonly file: Hdf5File;
  readonly type: number;
  readonly nodeBytes: number;
  readonly recordBytes: number;
  /** One entry per depth, leaves first. */
  readonly levels: readonly Level[];
  /** The addresses of visited nodes. */
  readonly seen: Set<number>;
}

/** Properties that all nodes at one depth share. */
interface Level {
  readonly maxRecords: number;
  /** Size in bytes of a pointer to a child; 0 for leaves. */
  readonly pointerBytes: number;
  /** Maximum number of records in a node and below it. It saturates at values that are too large to matter. */
  readonly maxTotal: number;
  /**
   * Size in bytes of the field that contains the number of all records in and below a child, within a pointer to a
   * child at this depth; 0 for leaves.
   */
  readonly totalBytes: number;
}

/** A pointer to a node, stored in its parent or in the tree's header. */
interface NodePointer {
  readonly address: number;
  readonly records: number;
  /** The number of records in the node and below it. */
  readonly total: number;
}

/**
 * Yields the bytes of each record in key order. A record of an internal node comes between the records of two children.
 * The bytes are views of the node's bytes, and must not be changed.
 * @param address the address of the tree's header.
 * @param type the tree's type: 1 and 3 for large heap objects, 5 for link names, 8 for attribute names, 10 and 11 for
 * chunks …
 * @throws {InvalidDataError} if there is no such tree, a node or checksum is damaged, or counts do not agree.
 */
export async function* readTreeRecords(
  file: Hdf5File,
  address: number,
  type: number,
  options?: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const { tree, depth, root } = await readTreeHeader(file, address, type, options);
  if (root !== null) yield* nodeRecords(tree, root, depth, options);
}

async function readTreeHeader(
  file: Hdf5File,
  address: number,
  type: number,
  options?: ReadOptions,
): Promise<{ tree: Tree; depth: number; root: NodePointer | null }> {
  const { offsets, lengths } = file.sizes;
  const what = `version 2 B-tree at ${address}`;
  const bytes = await file.read(address, 22 + offsets + lengths, options);
  const cursor = startBlock(bytes, "BTHD", type, what);
  verifyChecksum(bytes, what);
  const nodeBytes = cursor.u32();
  const recordBytes = cursor.u16();
  const depth = cursor.u16();
  cursor.skip(2);
  const rootAddress = cursor.optional(offsets);
  const records = cursor.u16();
  const total = cursor.uint(lengths);
  if (recordBytes === 0 || nodeBytes > MAX_NODE_BYTES || nodeBytes < NODE_FIXED + recordBytes) {
    throw new InvalidDataError(`${what} has nodes of ${nodeBytes} bytes for records of ${recordBytes}`);
  }
  if (depth > MAX_DEPTH) throw new InvalidDataError(`${what} has depth ${depth}; at most ${MAX_DEPTH} is possible`);
  // A file must be at least as large as all of its records together.
  if (total * recordBytes > file.size) {
    throw new InvalidDataError(`${what} has ${total} records of ${recordBytes} bytes, the file ${file.size} bytes`);
  }
  const levels = treeLevels(nodeBytes, recordBytes, depth, offsets, what);
  const tree = { file, type, nodeBytes, recordBytes, levels, seen: new Set<number>() };
  if (rootAddress === null) {
    if (total !== 0) throw new InvalidDataError(`${what} has ${total} records, but no node`);
    return { tree, depth, root: null };
  }
  return { tree, depth, root: { address: rootAddress, records, total } };
}

/** Computes, for each depth, the maximum number of records in a node and the field sizes of its pointers. */
function treeLevels(nodeBytes: number, recordBytes: number, depth: number, offsets: number, what: string): Level[] {
  const leafRecords = Math.floor((nodeBytes - NODE_FIXED) / recordBytes);
  const countBytes = bytesFor(leafRecords);
  const levels: Level[] = [{ maxRecords: leafRecords, pointerBytes: 0, maxTotal: leafRecords, totalBytes: 0 }];
  for (let d = 1; d <= depth; d++) {
    const below = levels[d - 1];
    const pointerBytes = offsets + countBytes + below.totalBytes;
    const maxRecords = Math.floor((nodeBytes - NODE_FIXED - pointerBytes) / (recordBytes + pointerBytes));
    if (maxRecords < 1) throw new InvalidDataError(`${what} has nodes of ${nodeBytes} bytes, too few for depth ${d}`);
    const maxTotal = (maxRecords + 1) * below.maxTotal + maxRecords;
    levels.push({ maxRecords, pointerBytes, maxTotal, totalBytes: bytesFor(maxTotal) });
  }
  return levels;
}

/**
 * Returns the number of bytes needed to store every count up to `value`. This is at most 8, because no count in a file
 * is larger.
 */
function bytesFor(value: number): number {
  let bytes = 1;
  while (bytes < 8 && value >= 2 ** (8 * bytes)) bytes++;
  return bytes;
}

async function* nodeRecords(
  tree: Tree,
  { address, records, total }: NodePointer,
  depth: number,
  options?: ReadOptions,
): AsyncGenerator<Uint8Array> {
  options?.signal?.throwIfAborted();
  const { file, recordBytes, levels, seen, type } = tree;
  const what = `version 2 B-tree node at ${address}`;
  const { maxRecords, pointerBytes } = levels[depth];
  if (seen.has(address)) throw new InvalidDataError(`version 2 B-tree leads twice to the node at ${address}`);
  seen.add(address);
  if (records > maxRecords) throw new InvalidDataError(`${what} has ${records} records; at most ${maxRecords} fit`);
  if (depth === 0 && records !== total) {
    throw new InvalidDataError(`${what} has ${records} records instead of ${total}`);
  }
  const pointers = depth === 0 ? 0 : records + 1;
  const bytes = await file.read(address, NODE_FIXED + records * recordBytes + pointers * pointerBytes, options);
  const cursor = startBlock(bytes, depth === 0 ? "BTLF" : "BTIN", type, what);
  verifyChecksum(bytes, what);
  const own: Uint8Array[] = [];
  for (let k = 0; k < records; k++) own.push(cursor.take(recordBytes));
  if (depth === 0) {
    yield* own;
    return;
  }
  const children = readPointers(tree, cursor, pointers, depth);
  const below = children.reduce((sum, child) => sum + child.total, records);
  if (below !== total) throw new InvalidDataError(`${what} leads to ${below} records instead of ${total}`);
  for (let k = 0; k < children.length; k++) {
    yield* nodeRecords(tree, children[k], depth - 1, options);
    if (k < records) yield own[k];
  }
}

function readPointers(tree: Tree, cursor: Cursor, count: number, depth: number): NodePointer[] {
  const countBytes = bytesFor(tree.levels[0].maxRecords);
  const { totalBytes } = tree.levels[depth - 1];
  const pointers: NodePointer[] = [];
  for (let k = 0; k < count; k++) {
    const address = cursor.uint(tree.file.sizes.offsets);
    const records = cursor.uint(countBytes);
    pointers.push({ address, records, total: totalBytes === 0 ? records : cursor.uint(totalBytes) });
  }
  return pointers;
}

/** Returns a cursor placed after the signature, version and type. */
function startBlock(bytes: Uint8Array, signature: string, type: number, what: string): Cursor {
  const cursor = new Cursor(bytes, what);
  if (String.fromCharCode(...cursor.take(4)) !== signature) throw new InvalidDataError(`${what} is not there`);
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`${what} has version ${version}; only 0 exists`);
  const stored = cursor.u8();
  if (stored !== type) throw new InvalidDataError(`${what} has type ${stored} instead of ${type}`);
  return cursor;
}
