/** The coordinate table of a matrix whose indices are packed, page by page. */

import type { Column } from "../arrow/column.js";
import { coordinateType } from "../arrow/type.js";
import type { StoredArray } from "../containers/container.js";
import { CHUNK, PAGE_VALUES } from "../kernels/bp128/page.js";
import { givePage, takePage } from "../kernels/bp128/pages.js";
import { type Batch, rowsOf, type Scan } from "./batch.js";
import type { SparsePlan } from "./plan.js";
import { entryFieldBytes, majorsOf, seekEnd, valueColumn } from "./sparse.js";

/** Whether batches of at most a page are asked for, and these can be made of pages. */
export function hasPages(matrix: SparsePlan, { start, end, fields, batchBytes }: Scan): boolean {
  const { indices, shape, order } = matrix;
  const minorSize = shape[order === "row" ? 1 : 0];
  if (indices.unpack === undefined || indices.limit === undefined || indices.limit > minorSize) return false;
  return start < end && coordinateType(minorSize).bits === 32 && perBatch(matrix, fields, batchBytes) <= PAGE_VALUES;
}

/**
 * `row, col, value` in stored order, each page once, in batches that end with it.
 * @param reuse whether columns may be views of the page, which the next batch overwrites.
 */
export async function* scanPages(matrix: SparsePlan, run: Scan, reuse: boolean): AsyncGenerator<Batch> {
  const { start, end, fields, state } = run;
  const byRow = matrix.order === "row";
  const most = perBatch(matrix, fields, run.batchBytes);
  const pointers = state.pointers(matrix);
  const indices = new PackedColumn(matrix.indices, reuse);
  const values = matrix.data.unpack === undefined ? null : new PackedColumn(matrix.data, reuse);
  try {
    await pointers.seek(start);
    for (let at = start; at < end; ) {
      const pageEnd = Math.min(end, at - (at % CHUNK) + PAGE_VALUES);
      if (fields.includes(byRow ? 1 : 0)) await indices.load(at, pageEnd, state.options);
      if (fields.includes(2)) await values?.load(at, pageEnd, state.options);
      while (at < pageEnd) {
        const stop = Math.min(pageEnd, at + most);
        const columns: Column[] = [];
        for (const field of fields) {
          if (field === 2) columns.push(values?.take(at, stop, false) ?? (await valueColumn(matrix, at, stop, state)));
          else if ((field === 0) === byRow) columns.push(await majorsOf(pointers, at, stop, state.take));
          else columns.push(indices.take(at, stop, true));
        }
        await pointers.seek(stop - 1);
        yield { length: stop - at, columns };
        state.release();
        at = stop;
      }
    }
    await seekEnd(pointers, end, matrix.nnz);
  } finally {
    indices.release();
    values?.release();
  }
}

/** A page of a packed array, as columns. */
class PackedColumn {
  readonly #array: StoredArray;
  readonly #reuse: boolean;
  #page: Awaited<ReturnType<typeof takePage>> | null = null;
  #base = 0;

  constructor(array: StoredArray, reuse: boolean) {
    this.#array = array;
    this.#reuse = reuse;
  }

  async load(start: number, end: number, options: Scan["state"]["options"]): Promise<void> {
    this.#page ??= await takePage();
    this.#base = start - (start % CHUNK);
    await this.#array.unpack?.(this.#page, start, end, options);
  }

  /** The values [start, end) of what was loaded. */
  take(start: number, end: number, signed: boolean): Column {
    if (this.#page === null) throw new TypeError("nothing was loaded");
    const { buffer, byteOffset } = this.#page.values;
    const from = byteOffset + 4 * (start - this.#base);
    const length = end - start;
    // A slice of a buffer is not filled with zeros first, as a new array is.
    const memory = this.#reuse ? buffer : buffer.slice(from, from + 4 * length);
    const at = this.#reuse ? from : 0;
    const values = signed ? new Int32Array(memory, at, length) : new Uint32Array(memory, at, length);
    return { layout: "primitive", type: { id: "Int", bits: 32, signed }, length, validity: null, values };
  }

  /** Ends the use of the page. */
  release(): void {
    if (this.#page !== null) givePage(this.#page);
    this.#page = null;
  }
}

function perBatch(matrix: SparsePlan, fields: readonly number[], batchBytes: number): number {
  return rowsOf(
    fields.reduce((sum, field) => sum + entryFieldBytes(matrix, field), 0),
    batchBytes,
  );
}
