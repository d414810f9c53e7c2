/** Adds up a sparse matrix along an axis, entry by entry, without a table of the entries. */

import type { PackedIntegers, Unpacker } from "../../containers/bp128/packed-integers.js";
import { type Bp128Page, CHUNK, PAGE_VALUES } from "../../kernels/bp128/page.js";
import { givePage, giveSums, takePage, takeSums } from "../../kernels/bp128/pages.js";
import { findLastPointerAtMost } from "../../kernels/sparse/indptr.js";
import { InvalidDataError, InvalidInputError } from "../../model/errors.js";
import type { NumberArray } from "../../model/stored.js";
import type { SparsePlan } from "../plan/plan.js";
import type { ScanState } from "../rows/columns.js";
import type { IndptrReader } from "../rows/indptr.js";
import { readSparseNumbers, scanCoordinate, seekEnd } from "../rows/sparse.js";
import type { JobRows, PartialSums, Task } from "../rows/task.js";

/** Bytes of entries that are summed at a time if they are not packed. */
const BLOCK_BYTES = 2 ** 22;

/** Packed entries that are summed at a time: half a page, so that the sums fit into the CPU cache as well. */
const PACKED_BLOCK = PAGE_VALUES / 2;

/**
 * Returns the sums of the entries [start, end) along the axis that the selected field specifies (0: by row, 1: by
 * column).
 * @throws {InvalidInputError} if the values are not numbers.
 */
export async function computePartialSums(
  { rows, selected }: Task,
  job: JobRows,
  state: ScanState,
): Promise<PartialSums> {
  if (rows.kind !== "coordinate") throw new TypeError("sums need a sparse matrix");
  const { matrix } = rows;
  const [axis] = selected;
  const size = matrix.shape[axis];
  const { type } = matrix.data;
  if (type.kind !== "bool" && type.kind !== "int" && !(type.kind === "float" && type.bits > 16)) {
    throw new InvalidInputError(`${type.kind} values have no sum`);
  }
  const byMajor = (axis === 0) === (matrix.order === "row");
  if (byMajor) return majorSums(matrix, job, state);
  const [indices, data] = [matrix.indices, matrix.data].map(({ capabilities }) => capabilities?.packed);
  if (indices !== undefined && data !== undefined && indices.limit !== null && indices.limit <= size) {
    return { first: 0, sums: await packedMinorSums({ indices, data }, job, size, state) };
  }
  return { first: 0, sums: await minorSums(matrix, job, axis, state) };
}

async function packedMinorSums(
  { indices, data }: Readonly<Record<"indices" | "data", PackedIntegers>>,
  [start, end]: JobRows,
  size: number,
  { options }: ScanState,
): Promise<Float64Array<ArrayBuffer>> {
  const pages = await takeSums(size);
  const unpackers = [indices.unpacker(pages.indices, end), data.unpacker(pages.values, end)];
  try {
    for (let at = start; at < end; ) {
      const base = at - (at % CHUNK);
      const stop = Math.min(end, base + PACKED_BLOCK);
      options.signal?.throwIfAborted();
      for (const unpacker of unpackers) {
        if (!unpacker.loadNow(at, stop)) await unpacker.load(at, stop, options);
      }
      pages.add(at - base, stop - base);
      at = stop;
    }
  } finally {
    for (const unpacker of unpackers) await unpacker.end();
  }
  const sums = pages.take();
  giveSums(pages);
  return sums;
}

async function minorSums(
  matrix: SparsePlan,
  [start, end]: JobRows,
  axis: number,
  state: ScanState,
): Promise<Float64Array<ArrayBuffer>> {
  const sums = new Float64Array(matrix.shape[axis]);
  let at = start;
  for await (const batch of scanCoordinate(matrix, { start, end, fields: [axis], batchBytes: BLOCK_BYTES, state })) {
    state.options.signal?.throwIfAborted();
    const [column] = batch.columns;
    if (column.layout !== "primitive") throw new TypeError("coordinates are integers");
    addAt(sums, column.values, await readSparseNumbers(matrix, at, at + batch.length, state));
    at += batch.length;
  }
  return sums;
}

function addAt(sums: Float64Array, indices: NumberArray, values: NumberArray): void {
  if (indices instanceof Int32Array && !(values instanceof BigInt64Array || values instanceof BigUint64Array)) {
    for (let i = 0; i < values.length; i++) sums[indices[i]] += values[i];
  } else {
    for (let i = 0; i < values.length; i++) sums[Number(indices[i])] += Number(values[i]);
  }
}

/** Returns the sum of the stored entries at each major position. The ranges of entries are in `indptr`. */
async function majorSums(matrix: SparsePlan, [start, end]: JobRows, state: ScanState): Promise<PartialSums> {
  const pointers = state.pointers(matrix);
  const blocks = valueBlocks(matrix, end, state);
  try {
    await pointers.seek(start);
    const sums = new MajorSums(start < end ? pointers.first + findLastPointerAtMost(pointers.block, start) : 0);
    for (let at = start; at < end; ) {
      const block = blocks.unpackNow(at) ?? (await blocks.load(at));
      at = sums.add(block, at, pointers);
      while (at < block.stop) {
        if (pointers.nextMajor === pointers.major) throw new InvalidDataError(`no pointer behind value ${at}`);
        await pointers.load(pointers.nextMajor);
        at = sums.add(block, at, pointers);
      }
    }
    await seekEnd(pointers, end, matrix.nnz);
    return { first: sums.first, sums: Float64Array.from(sums.sums) };
  } finally {
    await blocks.release();
  }
}

class MajorSums {
  readonly first: number;
  readonly sums: number[] = [];
  #major: number;

  constructor(first: number) {
    this.first = first;
    this.#major = first;
  }

  /**
   * Adds the values in the block from `at` on, up to the end of the pointers.
   * @returns the position of the first value that was not added.
   */
  add(block: ValueBlock, at: number, pointers: IndptrReader): number {
    const { sums } = this;
    let from = at;
    while (from < block.stop && this.#major < pointers.nextMajor) {
      const behind = pointers.block[this.#major - pointers.first + 1];
      const to = Math.min(block.stop, behind);
      const place = this.#major - this.first;
      sums[place] = (sums[place] ?? 0) + block.sum(from, to);
      from = to;
      if (behind <= to) this.#major++;
    }
    return from;
  }
}

interface ValueBlock {
  readonly stop: number;
  /** Returns the sum of the values [from, to) of the matrix. */
  sum(from: number, to: number): number;
}

/** Reads the values of a matrix block by block, at most up to `until`. */
function valueBlocks(matrix: SparsePlan, until: number, state: ScanState) {
  let page: Bp128Page | null = null;
  let unpacker: Unpacker | null = null;
  const { packed } = matrix.data.capabilities ?? {};
  const blockOf = (loaded: Bp128Page, at: number): ValueBlock => {
    const base = at - (at % CHUNK);
    return { stop: Math.min(until, base + PAGE_VALUES), sum: (from, to) => loaded.sum(from - base, to - base) };
  };
  return {
    /** Unpacks the block that starts at `at` if its packed values are in memory; null if a read is needed. */
    unpackNow(at: number): ValueBlock | null {
      state.options.signal?.throwIfAborted();
      if (page === null) return null;
      const block = blockOf(page, at);
      return unpacker?.loadNow(at, block.stop) === true ? block : null;
    },
    async load(at: number): Promise<ValueBlock> {
      state.options.signal?.throwIfAborted();
      if (packed === undefined) {
        const stop = Math.min(until, at + BLOCK_BYTES / 8);
        const values = await readSparseNumbers(matrix, at, stop, state);
        return { stop, sum: (from, to) => sumOf(values, from - at, to - at) };
      }
      page ??= await takePage();
      unpacker ??= packed.unpacker(page, until);
      const block = blockOf(page, at);
      await unpacker.load(at, block.stop, state.options);
      return block;
    },
    async release(): Promise<void> {
      await unpacker?.end();
      if (page !== null) givePage(page);
    },
  };
}

function sumOf(values: NumberArray, from: number, to: number): number {
  let sum = 0;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let i = from; i < to; i++) sum += Number(values[i]);
  } else {
    for (let i = from; i < to; i++) sum += values[i];
  }
  return sum;
}
