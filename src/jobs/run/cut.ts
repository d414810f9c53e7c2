/** Divides a table into jobs: row ranges that end at chunk boundaries, so that no chunk is decoded twice. */

import { countColumnBytes } from "../../arrow/column.js";
import { type ArrowField, estimateValueSize, isVariable } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { countElements, getDecodedSize } from "../../model/stored.js";
import {
  type ColumnPlan,
  listPlanArrays,
  type NonZerosPlan,
  type SelectedPlan,
  type SparsePlan,
} from "../plan/plan.js";
import { getColumnRowsPerRead, readColumn, type ScanState } from "../rows/columns.js";
import type { IndptrReader } from "../rows/indptr.js";
import { checkRowBytes, type JobRows, type Task } from "../rows/task.js";

// The unit of a job's range [start, end) depends on the kind of the plan:
//
//   columns, coordinate, fragments, matrix-columns, dense-rows   rows of the table                 evenly
//   nonzeros                                                     rows of the dense matrix          evenly
//   subset; selected without `major`                             stored entries                    evenly
//   selected with `major`                                        indices into the list `major`     positions
//   entries, placed                                              lists (stored rows or columns)    byPointers
//
//   chunks           |    |    |    |    |    |    |    |    |  |      of the array with the largest chunks
//   evenly           [    job 0     |    job 1     |    job 2   ]      a step is a whole number of these chunks
//   evenly, a part             [ 0  |    job 1     |  2  ]             the same borders, wherever the part starts
//
//   indptr           0  3  3  9  10  14  20  39  41                    as many lists as fit in `per` entries, here 10;
//   byPointers       [   job 0   |   1   | 2 | 3 ]                     a longer list is a job of its own
//
// Invariants: the jobs are in order and cover the range without gap or overlap. The borders depend on the task and its
// file but never on the number of workers, so the number of workers does not affect the bytes that are written.
// `evenly` puts every border at a border of the largest chunks, so no job decodes a chunk of its neighbour. There is no
// cut (null) if rows depend on earlier rows (ragged columns, mappings, edges, lines of fragments, filtered fragments),
// if every batch reads all entries (dense rows of a column-compressed matrix), or for part of a table whose rows can
// only be counted by a scan.

/** Maximum rows and bytes of a job. A job becomes one row group or a few batches. */
const ROWS = 2 ** 20;
const BYTES = 2 ** 24;

/** Minimum number of rows in a job that computes sums. */
const SUM_ROWS = 2 ** 22;

/**
 * Minimum number of packed values for which workers are used. A single thread sums fewer values before workers start.
 */
const QUICK_SUM_ROWS = 2 ** 28;

/** Maximum bytes of a dataframe job. Such jobs need more work per byte. */
const FRAME_BYTES = 2 ** 23;

/**
 * Maximum bytes in a job of entry lists. With twice as many bytes, V8 collects garbage for every second result: its old
 * generation grows by 16 MB between two collections, and memory received from other threads counts.
 */
const ENTRY_BYTES = 2 ** 22;

/** Bytes that are decoded for a job on part of a matrix. The job's own size is smaller. */
const PART_BYTES = 2 ** 24;

/** Maximum bytes of the decoded chunks of one job. A table with larger chunks is read in one thread. */
const MAX_CHUNK_BYTES = 2 ** 26;

/** Number of jobs for selected positions, and the minimum number of positions per job. */
const POSITION_JOBS = 32;
const MIN_POSITIONS = 8;

/** Number of text rows that are read to estimate the length of all text. */
const SAMPLE = 1024;

export interface Cut {
  readonly jobs: AsyncIterable<JobRows>;
  /** Estimated size of all rows as Arrow in bytes. It determines whether workers are worthwhile. */
  readonly bytes: number;
  /** Whether there is more than one job and no job takes too much memory. */
  readonly parallel: boolean;
}

/**
 * Cuts the rows [start, end) into jobs, in order.
 * @param state scan state that reads the data on which the cut depends.
 * @returns null for tables that are not cut: small tables, and tables whose rows depend on earlier rows.
 */
export async function cutJobs(task: Task, [start, end]: JobRows, state: ScanState): Promise<Cut | null> {
  const { rows } = task;
  switch (rows.kind) {
    case "mapping-nodes":
    case "fragment-lines":
    case "edges":
      return null;
    case "columns": {
      if (rows.columns.some(({ kind }) => kind === "ragged")) return null;
      const bytes = await rowBytes(task, rows.columns, state);
      const arrays = rowArrays(task, rows.columns);
      const cut = evenly([start, end], { rowBytes: bytes, arrays, mostBytes: Math.min(FRAME_BYTES, jobBytes(task)) });
      // A job may be larger if its memory is reused.
      const rowsAtOnce = isMemoryReturned(task)
        ? arrays.reduce((most, { capabilities }) => Math.max(most, capabilities?.rowsAtOnce ?? 0), 0)
        : 0;
      return rowsAtOnce === 0 ? cut : { ...cut, jobs: ranges(start, end, rowsAtOnce) };
    }
    case "coordinate":
      if (task.request.kind === "sums") return sumJobs(task, rows.matrix, [start, end]);
      return evenly([start, end], {
        rowBytes: fieldBytes(task),
        arrays: [rows.matrix.data, rows.matrix.indices],
        mostBytes: jobBytes(task),
      });
    case "subset":
    case "selected": {
      // The number of entries is known only after a scan, so a range of entries cannot be requested.
      if (start !== 0 || end !== Number.MAX_SAFE_INTEGER) return null;
      const { matrix } = rows;
      if (rows.kind === "selected" && rows.major !== null) return positions(rows.major, rows, task.selected);
      return evenly([0, matrix.nnz], { rowBytes: fieldBytes(task), arrays: [matrix.indices, matrix.data] });
    }
    case "placed": {
      const { matrix } = rows;
      // The table's rows are entries but jobs are rows of the matrix, so a range of table rows cannot be requested.
      if (start !== 0 || end !== Number.MAX_SAFE_INTEGER) return null;
      return {
        jobs: byPointers(state.pointers(matrix), 0, matrix.shape[0], ROWS),
        bytes: matrix.nnz * fieldBytes(task),
        parallel: chunkBytes([matrix.data, matrix.indices]) <= MAX_CHUNK_BYTES,
      };
    }
    case "fragments":
      // The number of fragments that pass a filter is known only after a scan.
      return rows.only === null
        ? evenly([start, end], { rowBytes: fieldBytes(task), arrays: [rows.cell, rows.start, rows.end] })
        : null;
    case "matrix-columns":
      return evenly([start, end], { rowBytes: fieldBytes(task), arrays: [rows.array], mostBytes: jobBytes(task) });
    case "nonzeros": {
      // The number of table rows is known only after a scan: jobs are rows of the matrix, and a range of entries cannot
      // be requested.
      if (start !== 0 || end !== Number.MAX_SAFE_INTEGER) return null;
      return nonZeroJobs(task, rows);
    }
    case "dense-rows": {
      // Every batch of a column-compressed matrix is a pass over all entries, so there are no jobs.
      if (rows.matrix.order === "column") return null;
      return evenly([start, end], { rowBytes: fieldBytes(task), arrays: [] });
    }
    case "entries": {
      const { matrix } = rows;
      // For a partial matrix, each entry costs as much as all the entries that are decoded to obtain it.
      const decoded = Math.max(1, (matrix.indices.capabilities?.decodedRows?.() ?? 0) / Math.max(1, matrix.nnz));
      const entryBytes = (4 + (getDecodedSize(matrix.data.type) ?? 16)) * decoded;
      // Moving entries to new positions takes several times their memory.
      const most = decoded > 1 ? PART_BYTES : rows.minor === undefined ? ENTRY_BYTES : ENTRY_BYTES / 2;
      const per = Math.max(1, Math.floor(most / entryBytes));
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

interface EvenCut {
  readonly rowBytes: number;
  /** Arrays whose chunk boundaries determine where jobs start. */
  readonly arrays: readonly StoredArray[];
  /** Maximum bytes of a job, and its maximum number of rows. */
  readonly mostBytes?: number;
  readonly mostRows?: number;
}

function evenly([start, end]: JobRows, { rowBytes, arrays, mostBytes = BYTES, mostRows = ROWS }: EvenCut): Cut {
  const chunk = arrays.reduce((most, { chunks }) => Math.max(most, chunks?.[0] ?? 1), 1);
  const wanted = Math.max(1, Math.min(mostRows, Math.floor(mostBytes / Math.max(rowBytes, 1 / 8))));
  const step = Math.max(1, Math.round(wanted / chunk)) * chunk;
  return {
    jobs: ranges(start, end, step),
    bytes: (end - start) * rowBytes,
    parallel: end - start > step && chunkBytes(arrays) <= MAX_CHUNK_BYTES,
  };
}

/** Returns jobs of matrix rows with equal decoding cost, even if only some rows are selected. */
function nonZeroJobs(task: Task, { array, row, col }: NonZerosPlan): Cut {
  const [height = 0, width = 0] = array.shape ?? [];
  const [chunkRows, chunkCols] = array.chunks ?? [1, width];
  const decoded = (positions: readonly number[] | null, size: number, chunk: number) =>
    positions === null ? size : Math.min(size, positions.length * chunk);
  const cols = decoded(col, width, chunkCols);
  const share = decoded(row, height, chunkRows) / Math.max(1, height);
  const cut = evenly([0, width === 0 ? 0 : height], {
    rowBytes: cols * share * fieldBytes(task),
    arrays: [array],
  });
  // Decoding is most of the work, however many entries are selected.
  return { ...cut, bytes: height * share * cols * (getDecodedSize(array.type) ?? 16) };
}

/** Returns jobs that compute sums. Each job has many entries, because it returns a sum for every position. */
function sumJobs(task: Task, { data, indices, shape, order }: SparsePlan, rows: JobRows): Cut {
  const [axis] = task.selected;
  const most = Math.max(SUM_ROWS, 4 * shape[axis]);
  const cut = evenly(rows, {
    rowBytes: fieldBytes(task),
    arrays: [data, indices],
    mostBytes: Number.POSITIVE_INFINITY,
    mostRows: most,
  });
  const inStoredOrder = (axis === 0) === (order === "row");
  const isQuick = inStoredOrder && data.capabilities?.packed !== undefined && rows[1] - rows[0] < QUICK_SUM_ROWS;
  return { ...cut, parallel: cut.parallel && !isQuick };
}

/**
 * Returns jobs that are ranges in the list of selected major positions. Each run of adjacent positions may cost a whole
 * extra chunk.
 * @param fields fields to read for each entry: 0 for its row, 1 for its column, 2 for its value.
 */
function positions(major: readonly number[], { matrix, minor }: SelectedPlan, fields: readonly number[]): Cut {
  const { data, indices, indptr, nnz, order } = matrix;
  const count = major.length;
  const step = Math.max(MIN_POSITIONS, Math.ceil(count / POSITION_JOBS));
  const hasIndices = minor !== null || fields.includes(order === "row" ? 1 : 0);
  const entryBytes =
    (fields.includes(2) ? (getDecodedSize(data.type) ?? 16) : 0) +
    (hasIndices ? (getDecodedSize(indices.type) ?? 8) : 0);
  const runs = major.filter((position, i) => i === 0 || position !== major[i - 1] + 1).length;
  const chunk = Math.max(data.chunks?.[0] ?? 1, indices.chunks?.[0] ?? 1);
  const average = nnz / Math.max(1, (indptr.shape?.[0] ?? 1) - 1);
  const entries = Math.min(nnz, count * average + runs * chunk);
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

/** Yields ranges of at most `per` entries, or ranges of one row if a row has more. */
async function* byPointers(pointers: IndptrReader, start: number, end: number, per: number): AsyncGenerator<JobRows> {
  for (let at = start; at < end; ) {
    await pointers.seekMajor(at, end);
    const stop = Math.min(end, pointers.fitting(at, per));
    yield [at, stop];
    at = stop;
  }
}

/** Returns the total size in bytes of one decoded chunk of each of `arrays`. */
function chunkBytes(arrays: readonly StoredArray[]): number {
  return arrays.reduce((sum, { chunks, shape, type }) => {
    const rows = chunks?.[0] ?? 1;
    return sum + rows * countElements(shape?.slice(1) ?? []) * (getDecodedSize(type) ?? 32);
  }, 0);
}

function selectedFields({ fields, selected }: Task): readonly ArrowField[] {
  return selected.map((i) => fields[i]);
}

/**
 * Maximum bytes of a job. A consumer of small messages has many readers, and little room for messages that are waiting
 * to be read.
 */
function jobBytes({ request }: Task): number {
  return request.kind === "encoded" ? Math.min(BYTES, 2 * request.batchBytes) : BYTES;
}

function fieldBytes(task: Task): number {
  return selectedFields(task).reduce((sum, { type }) => sum + estimateValueSize(type), 0);
}

/** Returns the arrays of selected columns with one value per table row. Arrays of categories are omitted. */
function rowArrays({ selected }: Task, columns: readonly ColumnPlan[]): readonly StoredArray[] {
  return selected.flatMap((i) => {
    const column = columns[i];
    if (column.kind === "categorical") return [column.codes.array];
    return listPlanArrays({ kind: "columns", columns: [column] });
  });
}

/** Returns the size of a row in bytes. The length of text is estimated from the first rows. */
async function rowBytes(task: Task, columns: readonly ColumnPlan[], state: ScanState): Promise<number> {
  let bytes = 0;
  for (const i of task.selected) {
    const { type } = task.fields[i];
    checkRowBytes(estimateValueSize(type));
    if (!isVariable(type)) {
      bytes += estimateValueSize(type);
      continue;
    }
    const column = columns[i];
    const rows = Math.min(SAMPLE, firstShape(column), getColumnRowsPerRead([column]));
    const sample = rows === 0 ? 0 : countColumnBytes(await readColumn(column, { start: 0, end: rows }, state)) / rows;
    bytes += Math.max(estimateValueSize(type) / 2, sample);
  }
  return bytes;
}

function firstShape(column: ColumnPlan): number {
  const [array] = listPlanArrays({ kind: "columns", columns: [column] });
  return array?.shape?.[0] ?? 0;
}

/**
 * Whether the memory of batches is returned for later batches. This applies to scans of matrices, because they cache
 * nothing in that memory.
 */
export function isMemoryReturned({ request, rows }: Task): boolean {
  if (request.kind !== "batches" || request.reuse !== true) return false;
  if (rows.kind !== "columns") return rows.kind === "coordinate" || rows.kind === "entries" || rows.kind === "selected";
  return rows.columns.every((column) => column.kind === "array" && isMatrix(column.array));
}

function isMatrix({ shape, type }: StoredArray): boolean {
  return shape !== null && shape.length > 1 && (type.kind === "int" || type.kind === "float");
}
