/** Scans sparse matrices in three layouts: the coordinate table, lists of entries, dense rows. */

import { type Column, createNullColumn } from "../../arrow/column.js";
import { createFixedSizeLists } from "../../arrow/dense.js";
import {
  createCheckedMinorColumn,
  createEntriesColumn,
  createMajorColumn,
  createMinorColumn,
  type MatrixEntries,
  scatterEntries,
} from "../../arrow/sparse.js";
import { selectListEntries } from "../../arrow/sparse-part.js";
import { createStoredColumn } from "../../arrow/stored.js";
import { getCoordinateType } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import { checkIntegers, convertPointersToNumbers, findPointerDecrease } from "../../kernels/sparse/indptr.js";
import { selectMappedEntries } from "../../kernels/sparse/minor-map.js";
import { takeElements } from "../../kernels/values/take-elements.js";
import { InvalidDataError, InvalidInputError, runWithLocation } from "../../model/errors.js";
import { allocate, type NumberArray } from "../../model/stored.js";
import { getEntryFieldBytes, getPartShape } from "../plan/matrix-plan.js";
import type { RowsPlan, SparsePlan } from "../plan/plan.js";
import type { Scan, ScanState } from "./columns.js";
import type { IndptrReader } from "./indptr.js";
import { type Batch, computeRowsPerBatch } from "./task.js";

/** Yields `row, col, value` in stored order; a batch may end inside a row. */
export async function* scanCoordinate(matrix: SparsePlan, run: Scan): AsyncGenerator<Batch> {
  const { start, end, fields, state } = run;
  const byRow = matrix.order === "row";
  const entryBytes = fields.reduce((sum, field) => sum + getEntryFieldBytes(matrix, field), 0);
  const perBatch = computeRowsPerBatch(entryBytes, run.batchBytes);
  const pointers = state.pointers(matrix);
  await pointers.seek(start);
  let at = start;
  do {
    const stop = Math.min(end, at + perBatch);
    const majors = fields.includes(byRow ? 0 : 1) ? await readMajorCoordinates(pointers, at, stop, state.take) : null;
    if (majors === null && stop > at) await pointers.seek(stop - 1);
    const columns: Column[] = [];
    for (const field of fields) {
      if (field === 2) columns.push(await readSparseValues(matrix, at, stop, state));
      else if ((field === 0) === byRow) columns.push(majors ?? createNullColumn(0));
      else columns.push(await indexColumn(matrix, at, stop, state));
    }
    yield { length: stop - at, columns };
    at = stop;
  } while (at < end);
  await seekEnd(pointers, end, matrix.nnz);
}

/**
 * Also checks the pointers after the last entry, which can still decrease or fail to reach nnz. If a scan ends before
 * nnz, these pointers are checked by the scan that begins there.
 */
export async function seekEnd(pointers: IndptrReader, end: number, nnz: number): Promise<void> {
  await pointers.seek(end);
  if (end === nnz) while (pointers.nextMajor < pointers.major) await pointers.load(pointers.nextMajor);
}

/** Returns the major coordinates of the entries [start, end). The current pointer block must contain `start`. */
async function readMajorCoordinates(
  pointers: IndptrReader,
  start: number,
  end: number,
  take?: (bytes: number) => Uint8Array,
): Promise<Column> {
  const parts: Column[] = [];
  // The entries can span several blocks of pointers.
  for (let from = start; ; ) {
    const to = Math.max(from, Math.min(end, pointers.lastPointer));
    parts.push(
      createMajorColumn({ pointers: pointers.block, first: pointers.first }, [from, to], pointers.major, take),
    );
    from = to;
    if (from >= end) return joinMajors(parts, end - start);
    await pointers.seek(from);
  }
}

/**
 * Yields one row per stored row (or column), with its entries as a list. If minor positions are selected, the list
 * entries are in the order of the new positions.
 */
export async function* scanEntries({ matrix, minor }: EntriesPlan, run: Scan): AsyncGenerator<Batch> {
  const minorSize = matrix.shape[matrix.order === "row" ? 1 : 0];
  const entryBytes = getEntryFieldBytes(matrix, 2) + getCoordinateType(minorSize).bits / 8;
  const perBatch = computeRowsPerBatch(entryBytes, run.batchBytes);
  const pointers = run.state.pointers(matrix);
  let at = run.start;
  do {
    await pointers.seekMajor(at, run.end);
    const local = at - pointers.first;
    const first = pointers.block[local];
    const stop = Math.min(run.end, pointers.fitting(at, perBatch));
    const block = pointers.block.subarray(local, stop - pointers.first + 1);
    const last = block[block.length - 1];
    // A batch of a single row has no size limit; `computeRowsPerBatch` throws if the row is too large.
    if (stop === at + 1) computeRowsPerBatch((last - first) * entryBytes, run.batchBytes);
    const [index, value] = await Promise.all([
      indexColumn(matrix, first, last, run.state),
      readSparseValues(matrix, first, last, run.state),
    ]);
    const lists =
      minor === undefined
        ? createEntriesColumn(block, index, value)
        : selectListEntries(minor, block, index, value, run.state.take);
    yield { length: stop - at, columns: run.fields.map(() => lists) };
    at = stop;
  } while (at < run.end);
}

type EntriesPlan = Pick<Extract<RowsPlan, { readonly kind: "entries" | "dense-rows" }>, "matrix" | "minor">;

/** Yields rows of the matrix as dense lists. A column-compressed matrix is read once per batch. */
export async function* scanDenseRows(plan: EntriesPlan, run: Scan): AsyncGenerator<Batch> {
  const { matrix, minor } = plan;
  const { type } = matrix.data;
  if (type.kind !== "bool" && type.kind !== "int" && !(type.kind === "float" && type.bits > 16)) {
    throw new InvalidInputError(`a sparse matrix of ${type.kind} values cannot be made dense`);
  }
  const [, width] = getPartShape(matrix, minor);
  const rowBytes = Math.max(1, width) * (type.kind === "bool" ? 1 : type.bits / 8);
  // Batches of a column-compressed matrix are larger and fewer, because each batch is a pass over all entries.
  const perBatch = computeRowsPerBatch(rowBytes, matrix.order === "row" ? run.batchBytes : 4 * run.batchBytes);
  let at = run.start;
  do {
    const stop = Math.min(run.end, at + perBatch);
    const block = allocate(type, (stop - at) * width);
    for await (const entries of entriesOf(plan, at, stop, run)) {
      scatterEntries(block, width, entries, type.kind === "bool");
    }
    const flat = createStoredColumn(type, { kind: "fixed", values: block }, block.length, run.state.text);
    yield { length: stop - at, columns: run.fields.map(() => createFixedSizeLists(flat, [width], stop - at)) };
    at = stop;
  } while (at < run.end);
}

/**
 * Reads all entries in the rows [start, stop), possibly together with entries in other rows. Row numbers are relative
 * to `start`.
 */
async function* entriesOf(
  { matrix, minor }: EntriesPlan,
  start: number,
  stop: number,
  run: Scan,
): AsyncGenerator<MatrixEntries> {
  const perPart = computeRowsPerBatch(getEntryFieldBytes(matrix, 2) + 8, run.batchBytes);
  if (matrix.order === "row") {
    const pointers = await rowPointers(matrix, start, stop, run.state);
    const end = pointers[pointers.length - 1];
    for (let from = pointers[0]; from < end; from += perPart) {
      const to = Math.min(end, from + perPart);
      const rows = coordinates(createMajorColumn({ pointers, first: 0 }, [from, to], stop - start));
      const cols = coordinates(await indexColumn(matrix, from, to, run.state));
      const values = await readSparseNumbers(matrix, from, to, run.state);
      if (minor === undefined) yield { rows, cols, values };
      else {
        const { places, minor: kept } = selectMappedEntries(minor, cols);
        yield { rows: places.map((place) => rows[place]), cols: kept, values: takeElements(values, places, 1) };
      }
    }
    return;
  }
  let from = 0;
  const whole = { start: 0, end: matrix.nnz, fields: [0, 1], batchBytes: run.batchBytes, state: run.state };
  for await (const part of scanCoordinate(matrix, whole)) {
    const values = await readSparseNumbers(matrix, from, from + part.length, run.state);
    from += part.length;
    const [rows, cols] = part.columns.map(coordinates);
    if (minor === undefined) yield { rows: rows.map((row) => row - start), cols, values };
    else {
      const { places, minor: kept } = selectMappedEntries(minor, rows);
      const [keptRows, keptCols] = [kept.map((row) => row - start), places.map((place) => cols[place])];
      yield { rows: keptRows, cols: keptCols, values: takeElements(values, places, 1) };
    }
  }
}

async function rowPointers(matrix: SparsePlan, start: number, stop: number, state: ScanState): Promise<Float64Array> {
  const values = await state.rows(matrix.indptr, start, stop + 1);
  return runWithLocation({ element: matrix.indptr.path }, () => {
    const pointers = convertPointersToNumbers(checkIntegers(values));
    const last = pointers[pointers.length - 1];
    const begins = start === 0 ? pointers[0] === 0 : pointers[0] >= 0;
    const ends = stop === matrix.shape[0] ? last === matrix.nnz : last <= matrix.nnz;
    if (findPointerDecrease(pointers) < 0 && begins && ends) return pointers;
    throw new InvalidDataError(
      `rows ${start} … ${stop} have the pointers ${pointers[0]} … ${last} of ${matrix.nnz} values`,
    );
  });
}

export async function readSparseNumbers(
  matrix: SparsePlan,
  start: number,
  end: number,
  state: ScanState,
): Promise<NumberArray> {
  const values = await state.rows(matrix.data, start, end);
  if (values.kind !== "fixed")
    throw new InvalidDataError("sparse values are no numbers", { element: matrix.data.path });
  return values.values;
}

function coordinates(column: Column): Int32Array {
  if (column.layout === "primitive" && column.values instanceof Int32Array) return column.values;
  throw new InvalidInputError("an axis of more than 2^31 positions cannot be made dense");
}

/** Whether the array itself rejects indices outside [0, size). */
export function hasCheckedIndices({ capabilities }: StoredArray, size: number): boolean {
  const limit = capabilities?.packed?.limit ?? null;
  return limit !== null && limit <= size;
}

export async function indexColumn(matrix: SparsePlan, start: number, end: number, state: ScanState) {
  const size = matrix.shape[matrix.order === "row" ? 1 : 0];
  if (hasCheckedIndices(matrix.indices, size)) {
    return createCheckedMinorColumn(checkIntegers(await state.rows(matrix.indices, start, end)), size);
  }
  const [values] = await Promise.all([state.rows(matrix.indices, start, end), loadIndexKernels(end - start)]);
  return runWithLocation({ element: matrix.indices.path }, () =>
    createMinorColumn(checkIntegers(values), size, start, state.take),
  );
}

export async function readSparseValues(
  matrix: SparsePlan,
  start: number,
  end: number,
  state: ScanState,
): Promise<Column> {
  const values = await state.rows(matrix.data, start, end);
  return runWithLocation({ element: matrix.data.path }, () =>
    createStoredColumn(matrix.data.type, values, end - start, state.text),
  );
}

function joinMajors(majors: readonly Column[], length: number): Column {
  if (majors.length === 1) return majors[0];
  const [first] = majors;
  if (first.layout !== "primitive") throw new TypeError("coordinates are integers");
  const values: NumberArray =
    first.values instanceof BigInt64Array ? new BigInt64Array(length) : new Int32Array(length);
  let at = 0;
  for (const part of majors) {
    if (part.layout !== "primitive") throw new TypeError("coordinates are integers");
    if (values instanceof BigInt64Array && part.values instanceof BigInt64Array) values.set(part.values, at);
    else if (values instanceof Int32Array && part.values instanceof Int32Array) values.set(part.values, at);
    at += part.length;
  }
  return { ...first, length, values };
}
