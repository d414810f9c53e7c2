/** The first bytes of a file, written last. Source: HDF5 File Format Specification, II.A, versions 0 and 1. */

import { ByteBuilder } from "./space/byte-builder.js";
import { LEAF_K, TREE_K } from "./space/tree-sizes.js";
import type { WrittenGroup } from "./symbol-table.js";

/** How many children a node of a chunk index has room for, halved; null for the one that version 0 implies. */
export type ChunkK = number | null;

export const superblockBytes = (chunkK: ChunkK): number => (chunkK === null ? 96 : 100);

/**
 * @param base where in the file it will lie, which is address 0.
 * @param end the file's length without `base`.
 */
export function superblock(chunkK: ChunkK, base: number, end: number, root: WrittenGroup): Uint8Array {
  const out = new ByteBuilder(100);
  out.u8(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a);
  // Versions of the superblock, free space, root entry, a zero, shared messages; sizes of addresses and lengths.
  out.u8(chunkK === null ? 0 : 1, 0, 0, 0, 0, 8, 8, 0);
  out.u16(LEAF_K).u16(TREE_K).u32(0);
  if (chunkK !== null) out.u16(chunkK).u16(0);
  // No free-space information, no driver's block. The end is absolute.
  out
    .u64(base)
    .address(null)
    .u64(base + end)
    .address(null);
  out.u64(0).u64(root.header).u32(1).u32(0).u64(root.tree).u64(root.heap);
  return out.finish();
}
