/** How a table is cut into jobs: row ranges that end where chunks do, so that no chunk is decoded twice. */

import { columnBytes } from "../../arrow/column.js";
import { type ArrowField, estimatedSize, isVariable } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { decodedSize, product } from "../../model/stored.js";
import { arraysOf, type ColumnPlan, type NonZerosPlan, type SparsePlan } from "../plan/plan.js";
import { readColumn, rowsPerReadOf, type ScanState } from "../rows/columns.js";
import type { IndptrReader } from "../rows/indptr.js";
import { checkRowBytes, type JobRows, type Task } from "../rows/task.js";

/** A job has about so many rows, which become one row group or a few batches; fewer where rows are large. */
const ROWS = 2 ** 20;
const BYTES = 2 ** 24;

/** A job of sums has at least so many. */
const SUM_ROWS = 2 ** 22;

/** Fewer packed values are summed in stored order before workers have begun. */
const QUICK_SUM_ROWS = 2 ** 28;

/** Bytes of a job of a dataframe, or of lists: the work is more for each byte. */
const FRAME_BYTES = 2 ** 23;

/** Decoded chunks of one job may take so much; larger ones are left to one thread. */
const MAX_CHUNK_BYTES = 2 ** 26;

/** Selected positions are cut into so many jobs, none of fewer positions than this. */
const POSITION_JOBS = 32;
const MIN_POSITIONS = 8;

/** Rows of text from which the length of the others is judged. */
const SAMPLE = 1024;

export interface Cut {
  readonly jobs: AsyncIterable<JobRows>;
  /** Bytes of all rows as Arrow, about: whether workers pay. */
  readonly bytes: number;
  /** More than one job, none of which takes too much memory. */
  readonly parallel: boolean;
}

/**
 * The jobs of rows [start, end), in order.
 * @param state of the scan, for what must be read to know where to cut.
 * @returns null for tables that are not cut: the small ones, and those whose rows depend on the rows before.
 */
export async function cutJobs(task: Task, [start, end]: JobRows, state: ScanState): Promise<Cut | null> {
  const { rows } = task;
  switch (rows.kind) {
    case "mapping-nodes":
    case "fragment-lines":
      return null;
    case "columns": {
      if (rows.columns.some(({ kind }) => kind === "ragged")) return null;
      const bytes = await rowBytes(task, rows.columns, state);
      const arrays = rowArrays(task, rows.columns);
      const cut = evenly([start, end], bytes, arrays, Math.min(FRAME_BYTES, jobBytes(task)));
      // In memory that comes back, a job may be larger.
      const rowsAtOnce = returnsMemory(task)
        ? Math.max(0, ...arrays.map(({ capabilities }) => capabilities?.rowsAtOnce ?? 0))
        : 0;
      return rowsAtOnce === 0 ? cut : { ...cut, jobs: ranges(start, end, rowsAtOnce) };
    }
    case "coordinate":
      if (task.product.kind === "sums") return sumJobs(task, rows.matrix, [start, end]);
      return evenly([start, end], fieldBytes(task), [rows.matrix.data, rows.matrix.indices], jobBytes(task));
    case "selected": {
      // How many entries there are, only a scan can tell: there are all or none.
      if (start !== 0 || end !== Number.MAX_SAFE_INTEGER) return null;
      const { matrix, major } = rows;
      if (major !== null) return positions(major.length, matrix);
      return evenly([0, matrix.nnz], fieldBytes(task), [matrix.indices, matrix.data]);
    }
    case "fragments":
      // Of some, which ones there are only a scan can tell.
      return rows.only === null ? evenly([start, end], fieldBytes(task), [rows.cell, rows.start, rows.end]) : null;
    case "matrix-columns":
      return evenly([start, end], fieldBytes(task), [rows.array], jobBytes(task));
    case "nonzeros": {
      // Where only a scan tells the table's rows, jobs are those of the matrix, and there are all or none.
      if (start !== 0 || end !== Number.MAX_SAFE_INTEGER) return null;
      return nonZeroJobs(task, rows);
    }
    case "dense-rows": {
      // A column-compressed matrix is one pass for every batch.
      if (rows.matrix.order === "column") return null;
      return evenly([start, end], fieldBytes(task), []);
    }
    case "entries": {
      const { matrix } = rows;
      const entryBytes = 4 + (decodedSize(matrix.data.type) ?? 16);
      const per = Math.max(1, Math.floor(FRAME_BYTES / entryBytes));
      return {
        jobs: byPointers(state.pointers(matrix), start, end, per),
        bytes: matrix.nnz * entryBytes * ((end - start) / Math.max(1, matrix.indptr.shape?.[0] ?? 1)),
        parallel: chunkBytes([matrix.data, matrix.indices]) <= MAX_CHUNK_BYTES,
      };
    }
    default:
      return rows satisfies never;
  }
}

/** Equal ranges that begin where the chunks of `arrays` do. */
function evenly(
  [start, end]: JobRows,
  bytes: number,
  arrays: readonly StoredArray[],
  most = BYTES,
  mostRows = ROWS,
): Cut {
  const chunk = Math.max(1, ...arrays.map((array) => array.chunks?.[0] ?? 1));
  const wanted = Math.max(1, Math.min(mostRows, Math.floor(most / Math.max(bytes, 1 / 8))));
  const step = Math.max(1, Math.round(wanted / chunk)) * chunk;
  return {
    jobs: ranges(start, end, step),
    bytes: (end - start) * bytes,
    parallel: end - start > step && chunkBytes(arrays) <= MAX_CHUNK_BYTES,
  };
}

/** Jobs of matrix rows; of those selected, as many as cost the same to decode. */
function nonZeroJobs(task: Task, { array, row, col }: NonZerosPlan): Cut {
  const [height = 0, width = 0] = array.shape ?? [];
  const [chunkRows, chunkCols] = array.chunks ?? [1, width];
  const decoded = (positions: readonly number[] | null, size: number, chunk: number) =>
    positions === null ? size : Math.min(size, positions.length * chunk);
  const cols = decoded(col, width, chunkCols);
  const share = decoded(row, height, chunkRows) / Math.max(1, height);
  const cut = evenly([0, width === 0 ? 0 : height], cols * share * fieldBytes(task), [array]);
  // Most of the work is to decode, whatever becomes of it.
  return { ...cut, bytes: height * share * cols * (decodedSize(array.type) ?? 16) };
}

/** Jobs of many entries: each gives a sum for every position. */
function sumJobs(task: Task, { data, indices, shape, order }: SparsePlan, rows: JobRows): Cut {
  const [axis] = task.selected;
  const most = Math.max(SUM_ROWS, 4 * shape[axis]);
  const cut = evenly(rows, fieldBytes(task), [data, indices], Number.POSITIVE_INFINITY, most);
  const inStoredOrder = (axis === 0) === (order === "row");
  const isQuick = inStoredOrder && data.capabilities?.packed !== undefined && rows[1] - rows[0] < QUICK_SUM_ROWS;
  return { ...cut, parallel: cut.parallel && !isQuick };
}

/** Jobs of selected major positions, by their places in the list: each of them may cost whole chunks. */
function positions(count: number, { data, indices, nnz }: SparsePlan): Cut {
  const step = Math.max(MIN_POSITIONS, Math.ceil(count / POSITION_JOBS));
  const entryBytes = (decodedSize(data.type) ?? 16) + (decodedSize(indices.type) ?? 8);
  const entries = Math.min(nnz, count * Math.max(data.chunks?.[0] ?? 1, indices.chunks?.[0] ?? 1));
  return {
    jobs: ranges(0, count, step),
    bytes: entries * entryBytes,
    parallel: count > step && chunkBytes([data, indices]) <= MAX_CHUNK_BYTES,
  };
}

async function* ranges(start: number, end: number, step: number): AsyncGenerator<JobRows> {
  for (let at = start; at < end; ) {
    const stop = Math.min(end, at - (at % step) + step);
    yield [at, stop];
    at = stop;
  }
}

/** Ranges of at most `per` entries, or of one row. */
async function* byPointers(pointers: IndptrReader, start: number, end: number, per: number): AsyncGenerator<JobRows> {
  for (let at = start; at < end; ) {
    await pointers.seekMajor(at, end);
    const stop = Math.min(end, pointers.fitting(at, per));
    yield [at, stop];
    at = stop;
  }
}

/** Bytes that the chunks of a band take once decoded. */
function chunkBytes(arrays: readonly StoredArray[]): number {
  return arrays.reduce((sum, { chunks, shape, type }) => {
    const rows = chunks?.[0] ?? 1;
    return sum + rows * product(shape?.slice(1) ?? []) * (decodedSize(type) ?? 32);
  }, 0);
}

function selectedFields({ fields, selected }: Task): readonly ArrowField[] {
  return selected.map((i) => fields[i]);
}

/** Who wants small messages has many readers, and little room for what none of them has taken yet. */
function jobBytes({ product }: Task): number {
  return product.kind === "ipc" ? Math.min(BYTES, 2 * product.batchBytes) : BYTES;
}

function fieldBytes(task: Task): number {
  return selectedFields(task).reduce((sum, { type }) => sum + estimatedSize(type), 0);
}

/** The arrays whose rows are those of the table: not the categories. */
function rowArrays({ selected }: Task, columns: readonly ColumnPlan[]): readonly StoredArray[] {
  return selected.flatMap((i) => {
    const column = columns[i];
    if (column.kind === "categorical") return [column.codes.array];
    return arraysOf({ kind: "columns", columns: [column] });
  });
}

/** Bytes of a row; that of text by its first rows. */
async function rowBytes(task: Task, columns: readonly ColumnPlan[], state: ScanState): Promise<number> {
  let bytes = 0;
  for (const i of task.selected) {
    const { type } = task.fields[i];
    checkRowBytes(estimatedSize(type));
    if (!isVariable(type)) {
      bytes += estimatedSize(type);
      continue;
    }
    const column = columns[i];
    const rows = Math.min(SAMPLE, firstShape(column), rowsPerReadOf([column]));
    const sample = rows === 0 ? 0 : columnBytes(await readColumn(column, 0, rows, state)) / rows;
    bytes += Math.max(estimatedSize(type) / 2, sample);
  }
  return bytes;
}

function firstShape(column: ColumnPlan): number {
  const [array] = arraysOf({ kind: "columns", columns: [column] });
  return array?.shape?.[0] ?? 0;
}

/** Whether memory of batches comes back: of matrices, of which nothing that a scan keeps lies in it. */
export function returnsMemory({ product, rows }: Task): boolean {
  if (product.kind !== "batches" || product.reuse !== true) return false;
  if (rows.kind !== "columns") return rows.kind === "coordinate" || rows.kind === "entries" || rows.kind === "selected";
  return rows.columns.every((column) => column.kind === "array" && isMatrix(column.array));
}

function isMatrix({ shape, type }: StoredArray): boolean {
  return shape !== null && shape.length > 1 && (type.kind === "int" || type.kind === "float");
}
