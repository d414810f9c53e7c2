/**
 * B-trees in written files: version 1 trees are built from the leaves up, version 2 trees as a single leaf. Source:
 * HDF5 File Format Specification, III.A.
 */

import { lookup3 } from "../../bytes/lookup3.js";
import { ByteBuilder } from "./byte-builder.js";
import type { FileSpace } from "./file-space.js";

export interface TreeEntries {
  /** 0: groups, 1: chunks. */
  readonly type: 0 | 1;
  /** Half the maximum number of children per node. */
  readonly k: number;
  readonly keyBytes: number;
  readonly count: number;
  /** Writes key `i` of 0 … count at the position `at`. Key `count` is the upper bound of the last child. */
  key(i: number, view: DataView, at: number): void;
  child(i: number): number;
}

const SIGNATURE = 0x54524545;

/**
 * Writes a tree. Nodes are always written in full size, even if little of that is used, because libhdf5 reads the full
 * size.
 * @returns the address of the root node, which is an empty leaf if there are no entries.
 */
export async function writeTree(space: FileSpace, entries: TreeEntries): Promise<number> {
  const { type, k, keyBytes, count } = entries;
  const size = 24 + 2 * k * 8 + (2 * k + 1) * keyBytes;
  const step = Math.ceil(size / 8) * 8;
  let child = (i: number) => entries.child(i);
  // Returns the first entry below a child. The key of that entry is the child's key.
  let firstEntry = (i: number) => i;
  let children = count;
  for (let level = 0; ; level++) {
    const starts = split(children, 2 * k);
    const nodes = starts.length;
    // All nodes of a level are adjacent, so each node knows the addresses of its neighbours.
    const first = space.allocate(nodes * step);
    for (let n = 0; n < nodes; n++) {
      const [from, to] = [starts[n], n + 1 < nodes ? starts[n + 1] : children];
      const bytes = new Uint8Array(step);
      const view = new DataView(bytes.buffer);
      view.setUint32(0, SIGNATURE);
      bytes[4] = type;
      bytes[5] = level;
      view.setUint16(6, to - from, true);
      setAddress(view, 8, n > 0 ? first + (n - 1) * step : null);
      setAddress(view, 16, n + 1 < nodes ? first + (n + 1) * step : null);
      let at = 24;
      for (let i = from; i < to; i++) {
        entries.key(firstEntry(i), view, at);
        setAddress(view, at + keyBytes, child(i));
        at += keyBytes + 8;
      }
      if (to > from) entries.key(to < children ? firstEntry(to) : count, view, at);
      space.place(first + n * step, bytes);
      await space.settle();
    }
    if (nodes === 1) return first;
    const below = firstEntry;
    firstEntry = (i) => below(starts[i]);
    child = (i) => first + i * step;
    children = nodes;
  }
}

/** Writes an address, or the undefined address for null. */
function setAddress(view: DataView, at: number, address: number | null): void {
  view.setUint32(at, address === null ? 0xffffffff : address % 2 ** 32, true);
  view.setUint32(at + 4, address === null ? 0xffffffff : Math.floor(address / 2 ** 32), true);
}

/** Number of bytes for the signature, version, type and checksum. */
const FRAME_BYTES = 10;

/**
 * @param records at most 65535 records of `recordBytes` each, in the order that their type defines.
 * @returns the address of the tree's header.
 */
export function writeLeaf(space: FileSpace, type: number, recordBytes: number, records: Uint8Array): number {
  const count = records.length / recordBytes;
  // The node size is stored with the tree, so a node may be as large as a single leaf requires.
  let nodeBytes = 512;
  while (nodeBytes - FRAME_BYTES < records.length) nodeBytes *= 2;
  const leaf = new ByteBuilder(nodeBytes).ascii("BTLF").u8(0, type).bytes(records);
  leaf.u32(lookup3(leaf.finish()));
  const root = space.append(leaf.zeros(nodeBytes - leaf.length).finish());
  const header = new ByteBuilder(38).ascii("BTHD").u8(0, type);
  // The depth is 0. The last two bytes are the percentages at which nodes are split and merged.
  header.u32(nodeBytes).u16(recordBytes).u16(0).u8(100, 40);
  header.u64(root).u16(count).u64(count);
  return space.append(header.u32(lookup3(header.finish())).finish());
}

/**
 * Splits `count` items into parts of at most `most` items each, and returns where the parts start. All parts are full
 * except the last two, which share their items evenly if the last part would be less than half full. There is always at
 * least one part, even if it is empty.
 */
export function split(count: number, most: number): number[] {
  const starts = [0];
  for (let start = most; start < count; start += most) starts.push(start);
  const parts = starts.length;
  const last = count - starts[parts - 1];
  if (parts > 1 && last < most >> 1) starts[parts - 1] = starts[parts - 2] + ((most + last + 1) >> 1);
  return starts;
}

export const LEAF_K = 4;
export const TREE_K = 16;

/** Half the maximum number of children per chunk index node, if the superblock has no field for this number. */
export const CHUNK_K = 32;
