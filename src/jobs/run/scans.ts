/**
 * The scan of each kind of rows. Those of columns, which all tables of cells and genes have, are here; the code of the others
 * is loaded with the first table that needs it.
 */

import { type Column, columnBytes } from "../../arrow/column.js";
import { type ArrowField, estimatedSize, isVariable } from "../../arrow/type.js";
import type { ColumnPlan, RowsPlan } from "../plan/plan.js";
import { readColumn, rowsPerReadOf, type Scan } from "../rows/columns.js";
import { type Batch, rowsPerBatch } from "../rows/task.js";

/** Rows of the first batch of a table with text or lists, whose size no metadata tells. */
const FIRST_VARIABLE_ROWS = 8192;

/**
 * Yields the batches of one job. The rows of a job are rows of the table; where only a scan can tell the table's rows,
 * they are rows of the dense matrix (non-zeros), stored entries, or positions in the list of selected rows.
 */
export async function* jobBatches(rows: RowsPlan, fields: readonly ArrowField[], run: Scan): AsyncGenerator<Batch> {
  if (rows.kind === "selected") {
    const { major, matrix } = rows;
    const { scanSelected } = await import("../rows/selected.js");
    if (major === null) return yield* scanSelected(rows, run);
    const job = { ...rows, major: major.slice(run.start, run.end) };
    return yield* scanSelected(job, { ...run, start: 0, end: matrix.nnz });
  }
  if (rows.kind === "subset") return yield* (await import("../rows/subset.js")).scanSubset(rows, run);
  if (rows.kind === "placed") return yield* (await import("../rows/placed.js")).scanPlaced(rows, run);
  if (rows.kind !== "nonzeros") return yield* scanRows(rows, fields, run);
  const { scanNonZeros } = await import("../rows/non-zeros.js");
  yield* scanNonZeros(rows, [run.start, run.end], { ...run, start: 0, end: Number.MAX_SAFE_INTEGER });
}

/** Yields the batches of table rows, always at least one: a table without rows has dictionaries, too. */
export async function* scanRows(rows: RowsPlan, fields: readonly ArrowField[], run: Scan): AsyncGenerator<Batch> {
  switch (rows.kind) {
    case "columns":
      return yield* scanColumns(rows.columns, fields, run);
    case "edges":
      return yield* (await import("../rows/edges.js")).scanEdges(rows, run);
    case "coordinate":
      return yield* (await import("../rows/sparse.js")).scanCoordinate(rows.matrix, run);
    case "entries":
      return yield* (await import("../rows/sparse.js")).scanEntries(rows, run);
    case "dense-rows":
      return yield* (await import("../rows/sparse.js")).scanDenseRows(rows, run);
    case "subset":
      return yield* (await import("../rows/subset.js")).scanSubset(rows, { ...run, start: 0, end: rows.matrix.nnz });
    case "placed":
      return yield* (await import("../rows/placed.js")).scanPlaced(rows, {
        ...run,
        start: 0,
        end: rows.matrix.shape[0],
      });
    case "selected":
      return yield* (await import("../rows/selected.js")).scanSelected(rows, {
        ...run,
        start: 0,
        end: rows.matrix.nnz,
      });
    case "fragments":
      return yield* (await import("../fragments/scan.js")).scanFragments(rows, run);
    case "fragment-lines":
      return yield* (await import("../fragments/lines.js")).scanFragmentLines(rows, run);
    case "nonzeros":
      return yield* (await import("../rows/non-zeros.js")).scanNonZeros(rows, [0, rows.array.shape?.[0] ?? 0], run);
    case "matrix-columns":
      return yield* (await import("../rows/dense.js")).scanMatrixColumns(rows.array, run);
    case "mapping-nodes":
      return yield* (await import("../rows/mapping-nodes.js")).scanMappingNodes(rows.nodes, run);
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
    for (const i of run.fields)
      batch.push(await readColumn(columns[i], { start: at, end: at + count, until: run.end }, run.state));
    // This batch gives an estimate of the length of texts, which never falls below the first assumption.
    if (variable && count > 0) {
      rowBytes = Math.max(fixed, batch.reduce((sum, column) => sum + columnBytes(column), 0) / count);
    }
    yield { length: count, columns: batch };
    at += count;
    if (count === 0) return;
  }
}
