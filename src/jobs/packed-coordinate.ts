/** The coordinate table of a matrix whose indices are packed, page by page. */

import type { Column } from "../arrow/column.js";
import { coordinateType } from "../arrow/type.js";
import type { StoredArray, Unpacker } from "../containers/container.js";
import { type Bp128Page, CHUNK, PAGE_VALUES } from "../kernels/bp128/page.js";
import { givePage, takePage } from "../kernels/bp128/pages.js";
import { type Batch, rowsOf, type Scan } from "./batch.js";
import { pageCopy, pageParts } from "./page-copy.js";
import type { SparsePlan } from "./plan.js";
import type { Pointers } from "./pointers.js";
import { entryFieldBytes, seekEnd, valueColumn } from "./sparse.js";

/** Whether batches of at most a page are asked for, and these can be made of pages. */
export function hasPages(matrix: SparsePlan, { start, end, fields, batchBytes }: Scan): boolean {
  const { indices, shape } = matrix;
  const minorSize = shape[matrix.order === "row" ? 1 : 0];
  if (indices.unpacker === undefined || indices.limit === undefined || indices.limit > minorSize) return false;
  const isNarrow = shape.every((size) => coordinateType(size).bits === 32);
  return start < end && isNarrow && perBatch(matrix, fields, batchBytes) <= PAGE_VALUES;
}

/**
 * `row, col, value` in stored order, each page once, in batches that end with it.
 * @param reuse whether columns may be views of the page, which the next batch overwrites.
 */
export async function* scanPages(matrix: SparsePlan, run: Scan, reuse: boolean): AsyncGenerator<Batch> {
  const { start, end, fields, state } = run;
  const byRow = matrix.order === "row";
  const most = pageParts(perBatch(matrix, fields, run.batchBytes), PAGE_VALUES);
  const pointers = state.pointers(matrix);
  const majors = fields.includes(byRow ? 0 : 1) ? await takePage() : null;
  const indices = fields.includes(byRow ? 1 : 0) ? await UnpackedPage.of(matrix.indices) : null;
  const values = fields.includes(2) ? await UnpackedPage.of(matrix.data) : null;
  try {
    await pointers.seek(start);
    for (let at = start; at < end; ) {
      const pageEnd = Math.min(end, at - (at % CHUNK) + PAGE_VALUES);
      await indices?.load(at, pageEnd, state.options);
      await values?.load(at, pageEnd, state.options);
      while (at < pageEnd) {
        const stop = Math.min(pageEnd, at + most);
        const columns: Column[] = [];
        for (const field of fields) {
          if (field === 2) {
            columns.push(values?.take(at, stop, false, reuse) ?? (await valueColumn(matrix, at, stop, state)));
          } else if ((field === 0) === byRow && majors !== null) {
            await expandMajors(pointers, at, stop, majors);
            columns.push(taken(majors.values, 0, stop - at, true, reuse));
          } else if (indices !== null) {
            columns.push(indices.take(at, stop, true, reuse));
          }
        }
        await pointers.seek(stop - 1);
        yield { length: stop - at, columns };
        state.release();
        at = stop;
      }
    }
    await seekEnd(pointers, end, matrix.nnz);
  } finally {
    await indices?.end();
    await values?.end();
    if (majors !== null) givePage(majors);
  }
}

/** Writes the major positions of the entries [start, end), which can lie across several blocks of pointers. */
async function expandMajors(pointers: Pointers, start: number, end: number, page: Bp128Page): Promise<void> {
  for (let from = start; from < end; ) {
    await pointers.seek(from);
    const to = Math.min(end, pointers.lastPointer);
    page.expand(pointers.block, pointers.first, from, to, from - start);
    from = to;
  }
}

/** A packed array and the page that it is unpacked to. */
class UnpackedPage {
  readonly #page: Bp128Page;
  readonly #unpacker: Unpacker;
  #base = 0;

  constructor(page: Bp128Page, unpacker: Unpacker) {
    this.#page = page;
    this.#unpacker = unpacker;
  }

  /** Null where the array is not packed. */
  static async of(array: StoredArray): Promise<UnpackedPage | null> {
    if (array.unpacker === undefined) return null;
    const page = await takePage();
    return new UnpackedPage(page, array.unpacker(page));
  }

  load(start: number, end: number, options: Scan["state"]["options"]): Promise<void> {
    this.#base = start - (start % CHUNK);
    return this.#unpacker.load(start, end, options);
  }

  /** The values [start, end) of what was loaded. */
  take(start: number, end: number, signed: boolean, reuse: boolean): Column {
    return taken(this.#page.values, start - this.#base, end - start, signed, reuse);
  }

  /** Ends the use of the page. */
  async end(): Promise<void> {
    await this.#unpacker.end();
    givePage(this.#page);
  }
}

/** `length` values of memory that is used again, or a copy of them. */
function taken(held: Uint32Array, from: number, length: number, signed: boolean, reuse: boolean): Column {
  const memory = reuse ? held.buffer : pageCopy(held, from, length);
  const at = reuse ? held.byteOffset + 4 * from : 0;
  const values = signed ? new Int32Array(memory, at, length) : new Uint32Array(memory, at, length);
  return { layout: "primitive", type: { id: "Int", bits: 32, signed }, length, validity: null, values };
}

function perBatch(matrix: SparsePlan, fields: readonly number[], batchBytes: number): number {
  return rowsOf(
    fields.reduce((sum, field) => sum + entryFieldBytes(matrix, field), 0),
    batchBytes,
  );
}
