/** A sparse matrix whose entries were copied in groups by minor position, as one matrix per group. */

import type { ReadOptions } from "../../io/sources/source.js";
import { getDecodedSize, type StoredType, type StoredValues, viewAsBytes } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";
import { CopiedBytes, DerivedArray, type RowStorage, waitForAllReads } from "./derived-array.js";
import { checkRows, runAt } from "./row-ranges.js";

/** Consecutive lists of the matrix, and the locations of their entries in the storage. */
export interface SplitBatch {
  /** Number of lists of this block. */
  readonly lists: number;
  /** The entries of group g are at [`starts[g]`, `starts[g + 1]`). */
  readonly starts: Uint32Array;
  /** Offsets in the storage: of the list lengths by group, and of the positions and values of the entries. */
  readonly counts: number;
  readonly indices: number;
  readonly data: number;
}

export interface GroupArrays {
  readonly data: StoredArray;
  readonly indices: StoredArray;
  readonly indptr: StoredArray;
  readonly nnz: number;
}

const INDEX: StoredType = { kind: "int", bits: 32, signed: true };
const WIDE: StoredType = { kind: "int", bits: 64, signed: true };
const INDEX_BYTES = 4;

/** @param from the arrays of the matrix that was split. */
export function groupArrays(
  from: Pick<GroupArrays, "data" | "indices" | "indptr">,
  storage: RowStorage,
  blocks: readonly SplitBatch[],
  group: number,
): GroupArrays {
  const ends = new Float64Array(blocks.length);
  let nnz = 0;
  for (const [i, { starts }] of blocks.entries()) {
    nnz += starts[group + 1] - starts[group];
    ends[i] = nnz;
  }
  const places = (key: "indices" | "data", bytes: number) =>
    Float64Array.from(blocks, (block) => block[key] + block.starts[group] * bytes);
  const { data, indices, indptr } = from;
  return {
    data: new PiecesArray(data, data.type, { storage, ends, places: places("data", getDecodedSize(data.type) ?? 0) }),
    indices: new PiecesArray(indices, INDEX, { storage, ends, places: places("indices", INDEX_BYTES) }),
    indptr: new PointersArray(indptr, { storage, blocks, ends, group }),
    nnz,
  };
}

/** Values that are stored in one piece per block. */
class PiecesArray extends CopiedBytes {
  readonly #storage: RowStorage;
  readonly #ends: Float64Array;
  readonly #places: Float64Array;

  /** @param pieces the cumulative number of values up to the end of each piece, and the offset of each piece. */
  constructor(
    from: StoredArray,
    type: StoredType,
    pieces: { readonly storage: RowStorage; readonly ends: Float64Array; readonly places: Float64Array },
  ) {
    super(from, type, [pieces.ends.at(-1) ?? 0]);
    this.#storage = pieces.storage;
    this.#ends = pieces.ends;
    this.#places = pieces.places;
  }

  async readInto(start: number, end: number, target: Uint8Array, { signal }: ReadOptions = {}): Promise<void> {
    checkRows(start, end, this.shape[0], this.path);
    signal?.throwIfAborted();
    const bytes = getDecodedSize(this.type) ?? 0;
    const ends = this.#ends;
    const reads: Promise<void>[] = [];
    for (let at = start, piece = runAt(ends, start); at < end; piece++) {
      const stop = Math.min(end, ends[piece]);
      if (stop === at) continue;
      const skipped = at - (piece === 0 ? 0 : ends[piece - 1]);
      const own = target.subarray((at - start) * bytes, (stop - start) * bytes);
      reads.push(this.#storage.read(this.#places[piece] + skipped * bytes, own));
      at = stop;
    }
    await waitForAllReads(reads);
  }
}

/** The indptr of a group, computed by adding up the lengths of the group's lists. */
class PointersArray extends DerivedArray {
  readonly #storage: RowStorage;
  readonly #blocks: readonly SplitBatch[];
  readonly #ends: Float64Array;
  readonly #group: number;
  /** The cumulative number of lists up to the end of each block. */
  readonly #lists: Float64Array;

  constructor(
    from: StoredArray,
    copied: {
      readonly storage: RowStorage;
      readonly blocks: readonly SplitBatch[];
      readonly ends: Float64Array;
      readonly group: number;
    },
  ) {
    const { blocks, ends } = copied;
    const lists = new Float64Array(blocks.length);
    for (const [i, block] of blocks.entries()) lists[i] = (i === 0 ? 0 : lists[i - 1]) + block.lists;
    super(from, (ends.at(-1) ?? 0) < 2 ** 31 ? INDEX : WIDE, [(lists.at(-1) ?? 0) + 1]);
    this.#storage = copied.storage;
    this.#blocks = blocks;
    this.#ends = ends;
    this.#group = copied.group;
    this.#lists = lists;
  }

  async read(start: number, end: number, { signal }: ReadOptions = {}): Promise<StoredValues> {
    checkRows(start, end, this.shape[0], this.path);
    signal?.throwIfAborted();
    const pointers = new Float64Array(end - start);
    for (let at = start, i = runAt(this.#lists, start); at < end; i++) {
      // The last pointer belongs to no list.
      if (i === this.#blocks.length) {
        pointers[at - start] = this.#ends.at(-1) ?? 0;
        break;
      }
      const { lists, counts } = this.#blocks[i];
      const first = this.#lists[i] - lists;
      const stop = Math.min(end, this.#lists[i]);
      const lengths = new Int32Array(stop - first);
      await this.#storage.read(counts + this.#group * lists * INDEX_BYTES, viewAsBytes(lengths));
      let pointer = i === 0 ? 0 : this.#ends[i - 1];
      for (let list = first; list < stop; list++) {
        if (list >= at) pointers[list - start] = pointer;
        pointer += lengths[list - first];
      }
      at = stop;
    }
    const isWide = this.type === WIDE;
    return { kind: "fixed", values: isWide ? BigInt64Array.from(pointers, BigInt) : Int32Array.from(pointers) };
  }
}
