/** Scans rows that are not stored as columns: all forms of matrices, fragments, and nodes of mappings. */

import type { RowsPlan } from "../plan/plan.js";
import type { Scan } from "../rows/columns.js";
import { scanMatrixColumns } from "../rows/dense.js";
import { scanEdges } from "../rows/edges.js";
import { scanMappingNodes } from "../rows/mapping-nodes.js";
import { scanNonZeros } from "../rows/non-zeros.js";
import { scanRepositioned } from "../rows/repositioned.js";
import { scanSelected } from "../rows/selected.js";
import { scanCoordinate, scanDenseRows, scanEntries } from "../rows/sparse.js";
import { scanSubset } from "../rows/subset.js";
import type { Batch } from "../rows/task.js";

export { hasPages, scanPages } from "../rows/packed-coordinate.js";
export { computePartialSums } from "./axis-sums.js";

export type MatrixRows = Exclude<RowsPlan, { kind: "columns" }>;

/** Yields the batches of one job, as `readJobBatches` does. */
export function readMatrixBatches(rows: MatrixRows, run: Scan): AsyncIterable<Batch> {
  if (rows.kind === "selected") {
    const { major, matrix } = rows;
    if (major === null) return scanSelected(rows, run);
    return scanSelected({ ...rows, major: major.slice(run.start, run.end) }, { ...run, start: 0, end: matrix.nnz });
  }
  if (rows.kind === "subset") return scanSubset(rows, run);
  if (rows.kind === "placed") return scanRepositioned(rows, run);
  if (rows.kind !== "nonzeros") return scanMatrix(rows, run);
  return scanNonZeros(rows, [run.start, run.end], { ...run, start: 0, end: Number.MAX_SAFE_INTEGER });
}

/** Yields the table rows in batches, at least one batch. */
export function scanMatrix(rows: MatrixRows, run: Scan): AsyncIterable<Batch> {
  switch (rows.kind) {
    case "edges":
      return scanEdges(rows, run);
    case "coordinate":
      return scanCoordinate(rows.matrix, run);
    case "entries":
      return scanEntries(rows, run);
    case "dense-rows":
      return scanDenseRows(rows, run);
    case "subset":
      return scanSubset(rows, { ...run, start: 0, end: rows.matrix.nnz });
    case "placed":
      return scanRepositioned(rows, { ...run, start: 0, end: rows.matrix.shape[0] });
    case "selected":
      return scanSelected(rows, { ...run, start: 0, end: rows.matrix.nnz });
    case "fragments":
    case "fragment-lines":
      return fragments(rows, run);
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

/** Yields fragments. The code for fragments is loaded only when needed. */
async function* fragments(
  rows: Extract<MatrixRows, { kind: "fragments" | "fragment-lines" }>,
  run: Scan,
): AsyncGenerator<Batch> {
  const { scanFragmentLines, scanFragments } = await import("../fragments/scan.js");
  yield* rows.kind === "fragments" ? scanFragments(rows, run) : scanFragmentLines(rows, run);
}
