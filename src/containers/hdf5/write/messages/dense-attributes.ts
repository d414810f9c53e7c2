/**
 * Attributes outside of the object header, which is where those over 64 KiB must be: in a fractal heap that holds
 * nothing but "huge" objects, so that it needs no blocks. Source: HDF5 File Format Specification, III.G and IV.A.2.v.
 */

import { UnsupportedError } from "../../../../model/errors.js";
import { lookup3 } from "../../bytes/lookup3.js";
import { ByteBuilder } from "../space/byte-builder.js";
import type { FileSpace } from "../space/file-space.js";
import { writeLeaf } from "../space/version-2-leaf.js";
import { compareBytes } from "../values/names.js";
import { type EncodedAttribute, heapAttributeMessage } from "./attribute-message.js";

/** The trees have one node, whose count of records has 16 bits; libhdf5 can still add some. */
export const MOST_ATTRIBUTES = 65_000;

const HEAP_BYTES = 146;

/** Heap ids of huge objects begin with this byte; 7 bytes are the object's number. */
const HUGE = 0x10;

/**
 * @returns the attribute info message that leads to them.
 * @throws {UnsupportedError} for more of them than one node can list.
 */
export function writeDenseAttributes(space: FileSpace, attributes: readonly EncodedAttribute[]): Uint8Array {
  const count = attributes.length;
  if (count > MOST_ATTRIBUTES) {
    throw new UnsupportedError(`${count} attributes of one object; at most ${MOST_ATTRIBUTES} are written`);
  }
  let total = 0;
  const objects = new ByteBuilder(24 * count);
  const names: { readonly hash: number; readonly name: Uint8Array; readonly id: number }[] = [];
  attributes.forEach((attribute, i) => {
    const message = heapAttributeMessage(attribute);
    const id = i + 1;
    objects.u64(space.append(message)).u64(message.length).u64(id);
    names.push({ hash: lookup3(attribute.name), name: attribute.name, id });
    total += message.length;
  });
  const objectTree = writeLeaf(space, 1, 24, objects.finish());
  const heap = space.append(heapHeader(count, total, objectTree));
  names.sort((a, b) => a.hash - b.hash || compareBytes(a.name, b.name));
  const byName = new ByteBuilder(17 * count);
  // No flags; the creation order is not tracked.
  for (const { hash, id } of names) byName.u8(HUGE).u32(id).zeros(3).u8(0).u32(0xffff).u32(hash);
  const nameTree = writeLeaf(space, 8, 17, byName.finish());
  return new ByteBuilder(18).u8(0, 0).u64(heap).u64(nameTree).finish();
}

function heapHeader(count: number, total: number, objectTree: number): Uint8Array {
  const out = new ByteBuilder(HEAP_BYTES).ascii("FRHP").u8(0);
  // Ids of 8 bytes, no filter, direct blocks with checksums.
  out.u16(8).u16(0).u8(2);
  // The largest object that would be managed; the next huge one's number; the tree of those.
  out
    .u32(4096)
    .u64(count + 1)
    .u64(objectTree);
  // Managed objects: no free space, nobody who manages it; nothing allocated, none there.
  out.u64(0).address(null).zeros(32);
  out.u64(total).u64(count).zeros(16);
  // The doubling table as libhdf5 would make it, without a root block.
  out.u16(4).u64(1024).u64(65_536).u16(40).u16(1).address(null).u16(0);
  return out.u32(lookup3(out.finish())).finish();
}
