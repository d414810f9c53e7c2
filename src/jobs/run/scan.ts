/** Runs a table's plan for a range of rows, batch by batch. */

import { type Column, columnBytes } from "../../arrow/column.js";
import { type ArrowField, estimatedSize, isVariable } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { scanFragmentLines } from "../fragments/lines.js";
import { scanFragments } from "../fragments/scan.js";
import { JobMemory } from "../memory/buffer-pool.js";
import type { ColumnPlan, RowsPlan, TablePlan } from "../plan/plan.js";
import { readColumn, rowsPerReadOf, type Scan, ScanState } from "../rows/columns.js";
import { scanMatrixColumns } from "../rows/dense.js";
import { scanMappingNodes } from "../rows/mapping-nodes.js";
import { scanNonZeros } from "../rows/non-zeros.js";
import { hasPages, scanPages } from "../rows/packed-coordinate.js";
import { scanSelected } from "../rows/selected.js";
import { scanCoordinate, scanDenseRows, scanEntries } from "../rows/sparse.js";
import { type Batch, type JobRows, type ResultRequest, rowsPerBatch, type Task } from "../rows/task.js";

export const DEFAULT_BATCH_BYTES = 16 * 2 ** 20;

/** Rows of the first batch of a table with text or lists, whose size no metadata tells. */
const FIRST_VARIABLE_ROWS = 8192;

/**
 * The batches of one job. Its rows are those of the table, except where only a scan can tell these: the rows of the
 * matrix whose non-zeros they are, the stored entries among which they are, or places in the list of selected rows.
 */
export function jobBatches(rows: RowsPlan, fields: readonly ArrowField[], run: Scan): AsyncIterable<Batch> {
  if (rows.kind === "selected") {
    const { major, matrix } = rows;
    if (major === null) return scanSelected(rows, run);
    return scanSelected({ ...rows, major: major.slice(run.start, run.end) }, { ...run, start: 0, end: matrix.nnz });
  }
  if (rows.kind !== "nonzeros") return scanRows(rows, fields, run);
  return scanNonZeros(rows, [run.start, run.end], { ...run, start: 0, end: Number.MAX_SAFE_INTEGER });
}

/** @throws {InvalidInputError} for rows outside the table. */
export function checkedRows(plan: TablePlan, rows: JobRows | undefined): JobRows {
  const total = plan.rows ?? Number.MAX_SAFE_INTEGER;
  if (rows === undefined) return [0, total];
  const [start, end] = rows;
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= total) {
    return [start, end];
  }
  throw new InvalidInputError(
    `rows ${start} … ${end} were asked for, the table has ${plan.rows ?? "an unknown number"}`,
    {
      element: plan.name,
    },
  );
}

/** The batches of table rows, always at least one, so that dictionaries travel with a table without rows too. */
export function scanRows(rows: RowsPlan, fields: readonly ArrowField[], run: Scan): AsyncIterable<Batch> {
  switch (rows.kind) {
    case "columns":
      return scanColumns(rows.columns, fields, run);
    case "coordinate":
      return scanCoordinate(rows.matrix, run);
    case "entries":
      return scanEntries(rows.matrix, run);
    case "dense-rows":
      return scanDenseRows(rows.matrix, run);
    case "selected":
      return scanSelected(rows, { ...run, start: 0, end: rows.matrix.nnz });
    case "fragments":
      return scanFragments(rows, run);
    case "fragment-lines":
      return scanFragmentLines(rows, run);
    case "nonzeros":
      return scanNonZeros(rows, [0, rows.array.shape?.[0] ?? 0], run);
    case "matrix-columns":
      return scanMatrixColumns(rows.array, run);
    case "mapping-nodes":
      return scanMappingNodes(rows.nodes, run);
    default:
      return rows satisfies never;
  }
}

async function* scanColumns(
  columns: readonly ColumnPlan[],
  fields: readonly ArrowField[],
  run: Scan,
): AsyncGenerator<Batch> {
  const types = run.fields.map((i) => fields[i].type);
  const fixed = types.reduce((sum, type) => sum + estimatedSize(type), 0);
  const variable = types.some(isVariable);
  const most = rowsPerReadOf(run.fields.map((i) => columns[i]));
  let rowBytes = fixed;
  for (let at = run.start; at < run.end || at === run.start; ) {
    const wanted = Math.min(most, rowsPerBatch(rowBytes, run.batchBytes));
    const count = Math.min(variable && at === run.start ? Math.min(wanted, FIRST_VARIABLE_ROWS) : wanted, run.end - at);
    const batch: Column[] = [];
    for (const i of run.fields) batch.push(await readColumn(columns[i], at, at + count, run.state, run.end));
    // Text is as long as it was so far, but at least as long as assumed.
    if (variable && count > 0) {
      rowBytes = Math.max(fixed, batch.reduce((sum, column) => sum + columnBytes(column), 0) / count);
    }
    yield { length: count, columns: batch };
    at += count;
    if (count === 0) return;
  }
}

/** Small batches get the same memory from the system again and again, which the processor holds; 131,072 entries. */
export const INLINE_BATCH_BYTES = 3 * 2 ** 19;

/** Of batches whose memory is used again: a page of 262,144 entries. */
const REUSED_PAGE_BYTES = 3 * 2 ** 20;

/** The same of arrays that are read from files as they are: every batch costs two reads. */
const REUSED_BATCH_BYTES = 2 ** 22;

/** Bytes of a batch that suit tables decoded inline where its memory is used again; null for others. */
export function reusedBatchBytes(rows: RowsPlan): number | null {
  if (isDecodedInline(rows)) return REUSED_PAGE_BYTES;
  return isDecodedInline(rows, true) ? REUSED_BATCH_BYTES : null;
}

/**
 * Whether batches are best made in the thread that takes them.
 * @param reuse whether their memory is used again: then those of any local array without chunks are.
 */
export function isDecodedInline(rows: RowsPlan, reuse = false): boolean {
  if (rows.kind === "fragments") return rows.only === null && [rows.cell, rows.start, rows.end].every(isPlain);
  if (rows.kind !== "coordinate" && rows.kind !== "entries" && rows.kind !== "selected") return false;
  // Among all entries those of some minor positions: every worker looks for its own.
  if (rows.kind === "selected" && rows.minor !== null) return false;
  const { data, indices } = rows.matrix;
  return [data, indices].every(
    (array) => isPlain(array) || (reuse && array.chunks === null && array.plan !== undefined),
  );
}

function isPlain({ plan }: StoredArray): boolean {
  return plan?.container === "packed" || plan?.container === "directory";
}

/** The batches of rows [start, end); where they may be used again, each lasts until the next one is asked for. */
export async function* scanInline(
  task: Task,
  [start, end]: JobRows,
  { batchBytes, reuse = false }: Extract<ResultRequest, { kind: "batches" }>,
  options: ReadOptions,
): AsyncGenerator<Batch> {
  const state = new ScanState(task.text, options, reuse ? new JobMemory() : null);
  const run = { start, end, fields: task.selected, batchBytes, state };
  const { rows } = task;
  if (rows.kind === "coordinate" && hasPages(rows.matrix, run)) return yield* scanPages(rows.matrix, run, reuse);
  for await (const batch of scanRows(rows, task.fields, run)) {
    yield batch;
    state.release();
  }
}
