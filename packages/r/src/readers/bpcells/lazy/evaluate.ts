/** Evaluates a lazy matrix in blocks, and serves the result as the arrays of a stored matrix. */

import { InvalidDataError, InvalidInputError, UnsupportedError } from "annarrow";
import { findLastPointerAtMost } from "annarrow/core/kernels";
import { allocate, type StoredType } from "annarrow/core/model";
import type { ReadOptions, StoredArray } from "annarrow/format";
import { copyValues, type LazyMatrix, type ListEntries, splitListsIntoBatches } from "./lazy-matrix.js";

/** Maximum number of slices. The pointers of all slices are held in memory. */
const MAX_SLICES = 2 ** 26;

/** Maximum number of slices per step of counting or evaluating. */
const MANY_SLICES = 2 ** 16;

/** Number of entries in an evaluated block, unless a single slice has more. */
const BLOCK = 2 ** 18;

/** Number of evaluated blocks in the cache. A batch needs positions and values of a few blocks. */
const KEPT = 8;

export interface EvaluatedArrays {
  readonly nnz: number;
  readonly data: StoredArray;
  readonly indices: StoredArray;
  readonly indptr: StoredArray;
}

/**
 * Counts the entries of all slices. Blocks are evaluated only when their arrays are read. If the lazy operations drop
 * some entries, counting reads the stored positions.
 * @throws {UnsupportedError} for too many slices, and for a slice with too many entries.
 */
export async function evaluateMatrix(matrix: LazyMatrix, path: string, options: ReadOptions): Promise<EvaluatedArrays> {
  if (matrix.outer > MAX_SLICES) {
    throw new UnsupportedError(`lazy operations on ${matrix.outer} slices, at most ${MAX_SLICES}`, { element: path });
  }
  const pointers = new Float64Array(matrix.outer + 1);
  /** The first slice of every block. */
  const blocks: number[] = [];
  for (let from = 0; from < matrix.outer; from += MANY_SLICES) {
    options.signal?.throwIfAborted();
    const to = Math.min(matrix.outer, from + MANY_SLICES);
    const counts = await matrix.counts(from, to, options);
    for (let i = from; i < to; i++) pointers[i + 1] = pointers[i] + counts[i - from];
    for (const [first] of splitListsIntoBatches(from, counts, BLOCK)) blocks.push(first);
  }
  const nnz = pointers[matrix.outer];
  if (!Number.isSafeInteger(nnz)) throw new UnsupportedError(`${nnz} entries`, { element: path });
  const evaluator = new Evaluator(matrix, pointers, Float64Array.from(blocks));
  return {
    nnz,
    data: evaluator.array(`${path}/data`, matrix.type, "values"),
    indices: evaluator.array(`${path}/indices`, UINT32, "indices"),
    indptr: pointerArray(`${path}/indptr`, pointers),
  };
}

const UINT32: StoredType = { kind: "int", bits: 32, signed: false };
const UINT64: StoredType = { kind: "int", bits: 64, signed: false };

class Evaluator {
  readonly #matrix: LazyMatrix;
  readonly #pointers: Float64Array;
  readonly #blocks: Float64Array;
  /** Cache of evaluated blocks, the newest last. */
  readonly #kept = new Map<number, Promise<ListEntries>>();

  constructor(matrix: LazyMatrix, pointers: Float64Array, blocks: Float64Array) {
    this.#matrix = matrix;
    this.#pointers = pointers;
    this.#blocks = blocks;
  }

  array(path: string, type: StoredType, part: "indices" | "values"): StoredArray {
    const nnz = this.#pointers[this.#pointers.length - 1];
    return {
      ...{ kind: "array", path, id: path, attributes: new Map(), chunks: null },
      type,
      shape: [nnz],
      read: async (start, end, options = {}) => {
        checkRange(start, end, nnz, path);
        const values = allocate(type, end - start);
        for (let at = start; at < end; ) {
          options.signal?.throwIfAborted();
          const slice = findLastPointerAtMost(this.#pointers, at);
          const block = findLastPointerAtMost(this.#blocks, slice);
          const found = (await this.#evaluate(block))[part];
          if (found === null) throw new TypeError("values were asked for");
          const first = this.#pointers[this.#blocks[block]];
          const stop = Math.min(end, first + found.length);
          copyValues(values, at - start, found, at - first, stop - at);
          at = stop;
        }
        return { kind: "fixed", values };
      },
    };
  }

  #evaluate(block: number): Promise<ListEntries> {
    const known = this.#kept.get(block);
    this.#kept.delete(block);
    const found = known ?? this.#slices(block);
    this.#kept.set(block, found);
    if (known === undefined) {
      found.catch(() => this.#kept.delete(block));
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > KEPT) this.#kept.delete(oldest);
    }
    return found;
  }

  /** Evaluates a block without the caller's signal, since other callers may wait for this block. */
  async #slices(block: number): Promise<ListEntries> {
    const from = this.#blocks[block];
    const to = block + 1 < this.#blocks.length ? this.#blocks[block + 1] : this.#matrix.outer;
    const found = await this.#matrix.slices(from, to, true, {});
    const expected = this.#pointers[to] - this.#pointers[from];
    if (found.indices.length !== expected || found.values?.length !== expected) {
      throw new InvalidDataError(`${found.indices.length} entries instead of ${expected}: the store has changed`);
    }
    return found;
  }
}

function pointerArray(path: string, pointers: Float64Array): StoredArray {
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), chunks: null },
    type: UINT64,
    shape: [pointers.length],
    read: async (start, end, options = {}) => {
      options.signal?.throwIfAborted();
      checkRange(start, end, pointers.length, path);
      return {
        kind: "fixed",
        values: BigUint64Array.from(pointers.subarray(start, end), (pointer) => BigInt(pointer)),
      };
    },
  };
}

function checkRange(start: number, end: number, count: number, path: string): void {
  if (start >= 0 && start <= end && end <= count) return;
  throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: path });
}
