/** Scans the coordinate table of a matrix with packed indices, page by page. */

import type { Column } from "../../arrow/column.js";
import { getCoordinateType } from "../../arrow/type.js";
import type { Unpacker } from "../../containers/bp128/packed-integers.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { type Bp128Page, CHUNK, PAGE_VALUES } from "../../kernels/bp128/page.js";
import { givePage, takePage } from "../../kernels/bp128/pages.js";
import { getEntryFieldBytes } from "../plan/matrix-plan.js";
import type { SparsePlan } from "../plan/plan.js";
import type { Scan } from "./columns.js";
import type { IndptrReader } from "./indptr.js";
import { hasCheckedIndices, readSparseValues, seekEnd } from "./sparse.js";
import { type Batch, computeRowsPerBatch } from "./task.js";

/**
 * True if the matrix can be scanned page by page: its indices are packed and checked, its coordinates have 32 bits, and
 * no batch is longer than a page.
 */
export function hasPages(matrix: SparsePlan, { start, end, fields, batchBytes }: Scan): boolean {
  const { indices, shape } = matrix;
  const minorSize = shape[matrix.order === "row" ? 1 : 0];
  if (!hasCheckedIndices(indices, minorSize)) return false;
  const isNarrow = shape.every((size) => getCoordinateType(size).bits === 32);
  return start < end && isNarrow && perBatch(matrix, fields, batchBytes) <= PAGE_VALUES;
}

/**
 * Yields `row, col, value` in stored order. Each page is unpacked once, and no batch extends past the end of its page.
 * @param reuse whether columns may be views of the page, which the next batch overwrites.
 */
export async function* scanPages(matrix: SparsePlan, run: Scan, reuse: boolean): AsyncGenerator<Batch> {
  const { start, end, state } = run;
  const pages = await MatrixPages.of(matrix, run, reuse);
  try {
    await pages.pointers.seek(start);
    for (let at = start; at < end; ) {
      const stop = pages.stop(at);
      if (!pages.loadNow(at, stop)) await pages.load(at, stop);
      yield { length: stop - at, columns: pages.columns(at, stop) };
      state.release();
      at = stop;
    }
    await seekEnd(pages.pointers, end, matrix.nnz);
  } finally {
    await pages.end();
  }
}

/** The pages of a scan, batch by batch. Steps that need no read avoid promises. */
class MatrixPages {
  readonly pointers: IndptrReader;
  readonly #matrix: SparsePlan;
  readonly #run: Scan;
  readonly #reuse: boolean;
  readonly #majors: Bp128Page | null;
  readonly #indices: UnpackedPage | null;
  /**
   * The page of values; null if no value field is selected, or if the values are not packed and are read batch by
   * batch.
   */
  readonly #values: UnpackedPage | null;
  /** Maximum number of entries in a batch. */
  readonly #most: number;
  #plainValues: Column | null = null;
  #pageEnd = 0;

  private constructor(
    matrix: SparsePlan,
    run: Scan,
    reuse: boolean,
    pages: readonly [majors: Bp128Page | null, indices: UnpackedPage | null, values: UnpackedPage | null],
  ) {
    this.pointers = run.state.pointers(matrix);
    this.#matrix = matrix;
    this.#run = run;
    this.#reuse = reuse;
    [this.#majors, this.#indices, this.#values] = pages;
    this.#most = computePageBatchRows(perBatch(matrix, run.fields, run.batchBytes), PAGE_VALUES);
  }

  static async of(matrix: SparsePlan, run: Scan, reuse: boolean): Promise<MatrixPages> {
    const { fields } = run;
    const [major, minor] = matrix.order === "row" ? [0, 1] : [1, 0];
    const majors = fields.includes(major) ? await takePage() : null;
    const indices = fields.includes(minor) ? await UnpackedPage.of(matrix.indices, run.end) : null;
    const values = fields.includes(2) ? await UnpackedPage.of(matrix.data, run.end) : null;
    return new MatrixPages(matrix, run, reuse, [majors, indices, values]);
  }

  /** Returns the end of the batch that starts at `at`. */
  stop(at: number): number {
    return Math.min(at < this.#pageEnd ? this.#pageEnd : this.#endOfPage(at), at + this.#most);
  }

  /** Unpacks the entries of a batch. Returns false if data must be read first. */
  loadNow(at: number, stop: number): boolean {
    if (!this.pointers.reaches(at, stop) || this.#hasPlainValues) return false;
    if (at >= this.#pageEnd) {
      const pageEnd = this.#endOfPage(at);
      if (this.#indices?.loadNow(at, pageEnd) === false || this.#values?.loadNow(at, pageEnd) === false) return false;
      this.#pageEnd = pageEnd;
    }
    this.#majors?.expand(this.pointers.block, this.pointers.first, at, stop, 0);
    return true;
  }

  async load(at: number, stop: number): Promise<void> {
    const { state } = this.#run;
    if (at >= this.#pageEnd) {
      const pageEnd = this.#endOfPage(at);
      await this.#indices?.load(at, pageEnd, state.options);
      await this.#values?.load(at, pageEnd, state.options);
      this.#pageEnd = pageEnd;
    }
    if (this.#hasPlainValues) this.#plainValues = await readSparseValues(this.#matrix, at, stop, state);
    if (this.#majors !== null) await expandMajors(this.pointers, at, stop, this.#majors);
    await this.pointers.seek(stop - 1);
  }

  /** Returns the columns of a batch whose entries are unpacked. */
  columns(at: number, stop: number): Column[] {
    const reuse = this.#reuse;
    const major = this.#matrix.order === "row" ? 0 : 1;
    const columns: Column[] = [];
    for (const field of this.#run.fields) {
      if (field === 2) {
        const column = this.#values?.take(at, stop, { signed: false, reuse }) ?? this.#plainValues;
        if (column !== null) columns.push(column);
      } else if (field === major && this.#majors !== null) {
        columns.push(taken(this.#majors.values, 0, stop - at, { signed: true, reuse }));
      } else if (this.#indices !== null) {
        columns.push(this.#indices.take(at, stop, { signed: true, reuse }));
      }
    }
    return columns;
  }

  async end(): Promise<void> {
    await this.#indices?.end();
    await this.#values?.end();
    if (this.#majors !== null) givePage(this.#majors);
  }

  get #hasPlainValues(): boolean {
    return this.#values === null && this.#run.fields.includes(2);
  }

  #endOfPage(at: number): number {
    return Math.min(this.#run.end, at - (at % CHUNK) + PAGE_VALUES);
  }
}

/** Writes the major positions of the entries [start, end), which may span several blocks of pointers. */
async function expandMajors(pointers: IndptrReader, start: number, end: number, page: Bp128Page): Promise<void> {
  for (let from = start; from < end; ) {
    await pointers.seek(from);
    const to = Math.min(end, pointers.lastPointer);
    page.expand(pointers.block, pointers.first, from, to, from - start);
    from = to;
  }
}

/** A packed array and the page into which it is unpacked. */
class UnpackedPage {
  readonly #page: Bp128Page;
  readonly #unpacker: Unpacker;
  #base = 0;

  constructor(page: Bp128Page, unpacker: Unpacker) {
    this.#page = page;
    this.#unpacker = unpacker;
  }

  /** Acquires a page for the array; null if the array is not packed. */
  static async of(array: StoredArray, until: number): Promise<UnpackedPage | null> {
    const packed = array.capabilities?.packed;
    if (packed === undefined) return null;
    const page = await takePage();
    return new UnpackedPage(page, packed.unpacker(page, until));
  }

  load(start: number, end: number, options: Scan["state"]["options"]): Promise<void> {
    this.#base = start - (start % CHUNK);
    return this.#unpacker.load(start, end, options);
  }

  loadNow(start: number, end: number): boolean {
    this.#base = start - (start % CHUNK);
    return this.#unpacker.loadNow(start, end);
  }

  /** Returns the values [start, end) of the loaded range as a column. */
  take(start: number, end: number, form: ColumnForm): Column {
    return taken(this.#page.values, start - this.#base, end - start, form);
  }

  /** Releases the page. */
  async end(): Promise<void> {
    await this.#unpacker.end();
    givePage(this.#page);
  }
}

interface ColumnForm {
  readonly signed: boolean;
  /** Whether the column is a view of the page, which later batches overwrite. */
  readonly reuse: boolean;
}

/** Makes a column of `length` values of a page. */
function taken(held: Uint32Array, from: number, length: number, { signed, reuse }: ColumnForm): Column {
  const memory = reuse ? held.buffer : copyPageValues(held, from, length);
  const at = reuse ? held.byteOffset + 4 * from : 0;
  const values = signed ? new Int32Array(memory, at, length) : new Uint32Array(memory, at, length);
  return { layout: "primitive", type: { id: "Int", bits: 32, signed }, length, validity: null, values };
}

function perBatch(matrix: SparsePlan, fields: readonly number[], batchBytes: number): number {
  return computeRowsPerBatch(
    fields.reduce((sum, field) => sum + getEntryFieldBytes(matrix, field), 0),
    batchBytes,
  );
}

/** Copies `length` 32-bit values of a page, starting at position `from`. */
export function copyPageValues(
  { buffer, byteOffset }: Int32Array | Uint32Array,
  from: number,
  length: number,
): ArrayBufferLike {
  const begin = byteOffset + 4 * from;
  fillYoungHeap(4 * length);
  // Unlike a new array, a slice of a buffer is not filled with zeros first.
  return buffer.slice(begin, begin + 4 * length);
}

/**
 * Bytes of buffers per filler, and number of values in a filler, the maximum for an ordinary young-generation object.
 */
const FILLER_FOR = 2 ** 19;
const FILLER_VALUES = 16000;

const young: { bytes: number; filler: unknown[] } = { bytes: 0, filler: [] };

/**
 * Fills the young heap, so that the engine collects young objects, including the unused buffers, before 32 MiB of such
 * buffers have accumulated. Beyond this size, the engine marks the whole heap after every collection. Buffers are
 * allocated outside the heap, so they do not fill it themselves.
 */
function fillYoungHeap(bytes: number): void {
  young.bytes += bytes;
  for (; young.bytes >= FILLER_FOR; young.bytes -= FILLER_FOR) young.filler = new Array(FILLER_VALUES);
}

/** Returns the rows per batch, at most `most`, that divide a page into few batches of similar size. */
export function computePageBatchRows(most: number, pageRows: number): number {
  return Math.ceil(pageRows / Math.ceil(pageRows / most));
}
