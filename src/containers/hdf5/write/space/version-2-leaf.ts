/** B-trees of version 2 that are one leaf. Source: HDF5 File Format Specification, III.A.2. */

import { lookup3 } from "../../bytes/lookup3.js";
import { ByteBuilder } from "./byte-builder.js";
import type { FileSpace } from "./file-space.js";

/** Signature, version, type, checksum. */
const FRAME_BYTES = 10;

/**
 * @param records in the order of their type, `recordBytes` each, at most 65535.
 * @returns the address of the tree's header.
 */
export function writeLeaf(space: FileSpace, type: number, recordBytes: number, records: Uint8Array): number {
  const count = records.length / recordBytes;
  // The size of nodes is stored with the tree: it may be as large as one leaf needs.
  let nodeBytes = 512;
  while (nodeBytes - FRAME_BYTES < records.length) nodeBytes *= 2;
  const leaf = new ByteBuilder(nodeBytes).ascii("BTLF").u8(0, type).bytes(records);
  leaf.u32(lookup3(leaf.finish()));
  const root = space.append(leaf.zeros(nodeBytes - leaf.length).finish());
  const header = new ByteBuilder(38).ascii("BTHD").u8(0, type);
  // Depth 0; when nodes would be split and merged.
  header.u32(nodeBytes).u16(recordBytes).u16(0).u8(100, 40);
  header.u64(root).u16(count).u64(count);
  return space.append(header.u32(lookup3(header.finish())).finish());
}
