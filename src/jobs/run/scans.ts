/**
 * Scans of all tables. Column tables, such as those of cells and genes, are read here; the code for other tables
 * (`matrix-scans.ts`) is loaded with the first table that needs it.
 */

import { type Column, countColumnBytes } from "../../arrow/column.js";
import { type ArrowField, estimateValueSize, isVariable } from "../../arrow/type.js";
import type { ColumnPlan, RowsPlan } from "../plan/plan.js";
import { getColumnRowsPerRead, readColumn, type Scan } from "../rows/columns.js";
import { type Batch, computeRowsPerBatch } from "../rows/task.js";

// A scan reads the rows of a plan in order, batch by batch. It is started by one of two functions, which differ in the
// unit of their range:
//
//   readJobBatches    a range of `cutJobs`:              columns ───────► scanColumns ───► readColumn
//                     rows, lists, entries, …            coordinate ────► scanCoordinate
//   scanRows          rows of the table; plans whose     subset ────────► scanSubset ────► scanCoordinate
//                     rows only a scan can count are     entries ───────► scanEntries
//                     scanned from the first entry on    placed ────────► scanPlaced ────► scanEntries
//                                                        selected, nonzeros, dense-rows, fragments, … ► scan…
//
//   scanCoordinate    indptr     0      4   5      9     one block of pointers at a time (IndptrReader)
//                     indices    [ . . . . . . . . . ]   the same rows of both arrays, in whole chunks; the rest of
//                     data       [ . . . . . . . . . ]   a chunk is cached for the next batch (ArrayRowReader)
//                     row        0 0 0 0 1 2 2 2 2       from the pointers; a batch may end inside a list
//   scanEntries       lists      [       ][ ][      ]    a batch ends where a list ends
//
// Invariants: a scan yields at least one batch, because a table without rows also has types and dictionaries. A batch
// has one column for each of `run.fields`, all of the batch's length, and has about `batchBytes` or a single row.
// Everything that batches share is in `run.state`. Its `release()` discards cached remainders of chunks, but not
// pointers, dictionaries and names. Every value is checked before it is used: pointers start at 0, never decrease and
// end at nnz; indices are positions on the axis.

/** Rows in the first batch of a table with text or lists, because the size of these is not known from metadata. */
const FIRST_VARIABLE_ROWS = 8192;

/**
 * Yields the batches of one job. The rows of a job are rows of the table. If the number of table rows is known only
 * after a scan, the job's rows are instead rows of the dense matrix (for non-zeros), stored entries, or positions in
 * the list of selected rows.
 */
export async function* readJobBatches(rows: RowsPlan, fields: readonly ArrowField[], run: Scan): AsyncGenerator<Batch> {
  if (rows.kind === "columns") yield* scanColumns(rows.columns, fields, run);
  else yield* (await import("./matrix-scans.js")).readMatrixBatches(rows, run);
}

/** Yields the table rows in batches, at least one batch, because a table without rows also has dictionaries. */
export async function* scanRows(rows: RowsPlan, fields: readonly ArrowField[], run: Scan): AsyncGenerator<Batch> {
  if (rows.kind === "columns") yield* scanColumns(rows.columns, fields, run);
  else yield* (await import("./matrix-scans.js")).scanMatrix(rows, run);
}

async function* scanColumns(
  columns: readonly ColumnPlan[],
  fields: readonly ArrowField[],
  run: Scan,
): AsyncGenerator<Batch> {
  const types = run.fields.map((i) => fields[i].type);
  const fixed = types.reduce((sum, type) => sum + estimateValueSize(type), 0);
  const variable = types.some(isVariable);
  const most = getColumnRowsPerRead(run.fields.map((i) => columns[i]));
  let rowBytes = fixed;
  for (let at = run.start; at < run.end || at === run.start; ) {
    const wanted = Math.min(most, computeRowsPerBatch(rowBytes, run.batchBytes));
    const count = Math.min(variable && at === run.start ? Math.min(wanted, FIRST_VARIABLE_ROWS) : wanted, run.end - at);
    const batch: Column[] = [];
    for (const i of run.fields)
      batch.push(await readColumn(columns[i], { start: at, end: at + count, until: run.end }, run.state));
    // This batch updates the estimated text length, which never falls below the initial assumption.
    if (variable && count > 0) {
      rowBytes = Math.max(fixed, batch.reduce((sum, column) => sum + countColumnBytes(column), 0) / count);
    }
    yield { length: count, columns: batch };
    at += count;
    if (count === 0) return;
  }
}
