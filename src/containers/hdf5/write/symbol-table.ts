/**
 * Symbol tables, which store the members of a group, and the local heap for their names. Source: HDF5 File Format
 * Specification, III.A.1 to III.D.
 */

import { UnsupportedError } from "../../../model/errors.js";
import { MESSAGE } from "../objects/object-header.js";
import type { EncodedAttribute } from "./messages/attributes.js";
import { writeHeader } from "./messages/object-header.js";
import { LEAF_K, split, TREE_K, writeTree } from "./space/b-trees.js";
import { ByteBuilder } from "./space/byte-builder.js";
import type { FileSpace } from "./space/file-space.js";
import { compareBytes } from "./values/checks.js";

export interface WrittenGroup {
  readonly header: number;
  readonly tree: number;
  readonly heap: number;
}

export interface Member {
  readonly name: Uint8Array;
  /** The address of a dataset's header, or a group. */
  readonly object: number | WrittenGroup;
}

const ENTRY_BYTES = 40;
const NODE_BYTES = 8 + 2 * LEAF_K * ENTRY_BYTES;

/** @param reserved the same as for `writeHeader`. */
export async function writeGroup(
  space: FileSpace,
  members: readonly Member[],
  attributes: readonly EncodedAttribute[],
  reserved: number | null,
): Promise<WrittenGroup> {
  // Members must be sorted: libhdf5 lists unsorted members, but finds only some of them.
  const sorted = [...members].sort((a, b) => compareBytes(a.name, b.name));
  const names = new LocalHeapWriter();
  const nameOffsets = sorted.map(({ name }) => names.put(name));
  const heap = names.write(space);
  const starts = sorted.length === 0 ? [] : split(sorted.length, 2 * LEAF_K);
  const first = space.allocate(starts.length * NODE_BYTES);
  for (let n = 0; n < starts.length; n++) {
    const end = n + 1 < starts.length ? starts[n + 1] : sorted.length;
    space.place(first + n * NODE_BYTES, symbolNode(sorted, nameOffsets, starts[n], end));
    await space.settle();
  }
  const tree = await writeTree(space, {
    type: 0,
    k: TREE_K,
    keyBytes: 8,
    count: starts.length,
    // A key is the offset of the largest name to its left. Offset 0 is the empty name.
    key: (i, view, at) => {
      const before = i < starts.length ? starts[i] : sorted.length;
      view.setUint32(at, before === 0 ? 0 : nameOffsets[before - 1], true);
    },
    child: (i) => first + i * NODE_BYTES,
  });
  const body = new ByteBuilder(16).u64(tree).u64(heap).finish();
  const header = writeHeader(space, [{ type: MESSAGE.symbolTable, body }], attributes, reserved);
  return { header, tree, heap };
}

/** Creates a symbol node, always in full size, because libhdf5 expects that. */
function symbolNode(members: readonly Member[], nameOffsets: readonly number[], from: number, to: number): Uint8Array {
  const out = new ByteBuilder(NODE_BYTES)
    .ascii("SNOD")
    .u8(1, 0)
    .u16(to - from);
  for (let i = from; i < to; i++) {
    const { object } = members[i];
    out.u64(nameOffsets[i]);
    if (typeof object === "number") out.u64(object).zeros(24);
    else out.u64(object.header).u32(1).u32(0).u64(object.tree).u64(object.heap);
  }
  return out.zeros(NODE_BYTES - out.length).finish();
}

/** The offset that indicates that there is no free block. */
const NO_FREE_BLOCK = 1;

/** Maximum total size of names in bytes, because the keys of the written trees use 32 of the 64 bits. */
const MAX_BYTES = 2 ** 31;

class LocalHeapWriter {
  /** The names. Offset 0 is the empty name, which sorts before all other names. */
  readonly #data = new ByteBuilder().zeros(8);

  /**
   * @returns the name's offset.
   * @throws {UnsupportedError} if the names take up too much space.
   */
  put(name: Uint8Array): number {
    const offset = this.#data.length;
    this.#data.bytes(name).zeros(8 - (name.length % 8));
    if (this.#data.length > MAX_BYTES) {
      throw new UnsupportedError(
        `names of one group take ${this.#data.length} bytes; at most ${MAX_BYTES} are written`,
      );
    }
    return offset;
  }

  /** @returns the heap's address. */
  write(space: FileSpace): number {
    const data = this.#data.finish();
    const address = space.append(data);
    const header = new ByteBuilder(32).ascii("HEAP").zeros(4);
    return space.append(header.u64(data.length).u64(NO_FREE_BLOCK).u64(address).finish());
  }
}
