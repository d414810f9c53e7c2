/** Reads the links of a group from either kind of storage. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { type LocalHeap, readLocalHeap } from "../heaps/local-heap.js";
import { parseLinkInfo, readDenseLinks } from "./dense-storage.js";
import { createGroupLinks, type GroupLinks, type Link, parseLink } from "./link.js";
import { type HeaderMessage, MESSAGE } from "./object-header.js";

/** True if a header with these messages belongs to a group. */
export function isGroup(messages: readonly HeaderMessage[]): boolean {
  return messages.some(({ type }) => type === MESSAGE.symbolTable || type === MESSAGE.linkInfo);
}

/**
 * @param messages the group's header.
 * @throws {InvalidDataError} if the storage of the links is damaged.
 */
export async function readGroupLinks(
  file: Hdf5File,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<GroupLinks> {
  const info = messages.find(({ type }) => type === MESSAGE.linkInfo);
  if (info !== undefined) {
    const dense = parseLinkInfo(info.body, file);
    if (dense !== null) return createGroupLinks(await readDenseLinks(file, dense, options));
    const links = messages.filter(({ type }) => type === MESSAGE.link);
    return createGroupLinks(links.map(({ body }) => parseLink(body, file.sizes)));
  }
  const table = messages.find(({ type }) => type === MESSAGE.symbolTable);
  if (table === undefined) throw new InvalidDataError("group without links, not even none");
  return createGroupLinks(await readSymbolTable(file, table.body, options));
}

/** A maximum level that even a tree of 2^53 links does not reach. */
const MAX_LEVEL = 32;

/** The usual number of entries in a node. A node with more entries is read a second time. */
const TREE_ENTRIES = 32;
const SYMBOLS = 8;

/** Number of bytes before the entries of a symbol node. */
const NODE_PREFIX = 8;

const SOFT_LINK = 2;

/**
 * @param message the body of a symbol table message.
 * @returns the links in the tree's order.
 * @throws {InvalidDataError} if the tree, a node, or the heap is damaged.
 */
async function readSymbolTable(file: Hdf5File, message: Uint8Array, options?: ReadOptions): Promise<[string, Link][]> {
  const cursor = new Cursor(message, "symbol table message");
  const tree = cursor.uint(file.sizes.offsets);
  const heap = await readLocalHeap(file, cursor.uint(file.sizes.offsets), options);
  const links: [string, Link][] = [];
  const seen = new Set<number>();
  const nodeBytes = (entries: number) => NODE_PREFIX + entries * (2 * file.sizes.offsets + 24);
  let bytes = 0;
  for (const address of await symbolNodes(file, { address: tree, above: null }, seen, options)) {
    options?.signal?.throwIfAborted();
    // A large group has thousands of nodes with a few links each. Most nodes lie in blocks that the source has cached,
    // so `peek` is tried first.
    let node = file.peek(address, nodeBytes(SYMBOLS)) ?? (await file.readUpTo(address, nodeBytes(SYMBOLS), options));
    const entries = symbolCount(node, address);
    if (entries > SYMBOLS) node = await file.read(address, nodeBytes(entries), options);
    for (const link of symbols(file, { address, bytes: node, entries }, heap)) links.push(link);
    bytes += nodeBytes(entries);
    // Nodes overlap only in a file crafted to exhaust memory.
    if (bytes > file.size) throw new InvalidDataError(`symbol nodes of ${bytes} bytes in a file of ${file.size}`);
  }
  return links;
}

/** A node of a group's index, and the level of its parent; null for the root. */
interface TreePosition {
  readonly address: number;
  readonly above: number | null;
}

/** Lists the addresses of the symbol nodes below a node of the tree, without repetition. */
async function symbolNodes(
  file: Hdf5File,
  { address, above }: TreePosition,
  seen: Set<number>,
  options?: ReadOptions,
): Promise<number[]> {
  options?.signal?.throwIfAborted();
  const { level, children } = await readTreeNode(file, address, options);
  if (above === null ? level > MAX_LEVEL : level !== above - 1) {
    throw new InvalidDataError(
      `group index node at ${address} has level ${level}, ${above === null ? `above ${MAX_LEVEL}` : `below level ${above}`}`,
    );
  }
  for (const child of children) {
    if (seen.has(child)) throw new InvalidDataError(`group index leads twice to address ${child}`);
    seen.add(child);
  }
  if (level === 0) return children;
  const nodes: number[] = [];
  for (const child of children)
    for (const node of await symbolNodes(file, { address: child, above: level }, seen, options)) nodes.push(node);
  return nodes;
}

async function readTreeNode(
  file: Hdf5File,
  address: number,
  options?: ReadOptions,
): Promise<{ level: number; children: number[] }> {
  const { offsets, lengths } = file.sizes;
  const prefix = 8 + 2 * offsets;
  const nodeBytes = (entries: number) => prefix + entries * (lengths + offsets);
  const what = `group index node at ${address}`;
  let bytes = await file.readUpTo(address, nodeBytes(TREE_ENTRIES), options);
  let cursor = new Cursor(bytes, what);
  if (String.fromCharCode(...cursor.take(4)) !== "TREE" || cursor.u8() !== 0) {
    throw new InvalidDataError(`there is no group index at address ${address}`);
  }
  const level = cursor.u8();
  const entries = cursor.u16();
  if (entries > TREE_ENTRIES) bytes = await file.read(address, nodeBytes(entries), options);
  cursor = new Cursor(bytes, what, prefix);
  const children: number[] = [];
  for (let k = 0; k < entries; k++) {
    // Skips the key, which is a name that the symbol nodes repeat.
    cursor.skip(lengths);
    children.push(cursor.uint(offsets));
  }
  return { level, children };
}

interface SymbolNode {
  readonly address: number;
  readonly bytes: Uint8Array;
  readonly entries: number;
}

/** Reads the links in a node, by name. */
function symbols({ sizes }: Hdf5File, { address, bytes, entries }: SymbolNode, heap: LocalHeap): [string, Link][] {
  const links: [string, Link][] = [];
  const { offsets } = sizes;
  const what = `symbol node at ${address}`;
  const cursor = new Cursor(bytes, what, NODE_PREFIX);
  for (let k = 0; k < entries; k++) {
    const name = heap.text(cursor.uint(offsets));
    const object = cursor.optional(offsets);
    const type = cursor.u32();
    cursor.skip(4);
    const end = cursor.position + 16;
    if (type > SOFT_LINK) throw new InvalidDataError(`${what} has an entry of type ${type}; 0 to 2 exist`);
    if (type === SOFT_LINK) links.push([name, { kind: "soft", target: heap.text(cursor.u32()) }]);
    else if (object !== null) links.push([name, { kind: "hard", address: object }]);
    else throw new InvalidDataError(`${what} has no address for ${JSON.stringify(name)}`);
    cursor.skip(end - cursor.position);
  }
  return links;
}

/**
 * Returns the number of links in a node.
 * @throws {InvalidDataError} if there is no node.
 */
function symbolCount(bytes: Uint8Array, address: number): number {
  const cursor = new Cursor(bytes, `symbol node at ${address}`);
  if (cursor.u8() !== 0x53 || cursor.u8() !== 0x4e || cursor.u8() !== 0x4f || cursor.u8() !== 0x44) {
    throw new InvalidDataError(`there is no symbol node at address ${address}`);
  }
  const version = cursor.u8();
  if (version !== 1) throw new InvalidDataError(`symbol node at ${address} has version ${version}; only 1 exists`);
  cursor.skip(1);
  return cursor.u16();
}
