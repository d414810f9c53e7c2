/** Rows of a stored sparse matrix as entries of a larger matrix. Workers read and move them. */

import type { ArrowField } from "../../arrow/type.js";
import { findSparsePart } from "../../jobs/plan/matrix-plan.js";
import { createPartPlan } from "../../jobs/plan/part-plan.js";
import { createTablePlan, type SparsePlan } from "../../jobs/plan/plan.js";
import { createPositionMap } from "../../kernels/sparse/minor-map.js";
import { type ColumnTable, findStoredRows } from "../column-table.js";
import { StoredTable } from "../stored-table.js";

/** The place of some rows of a matrix in a larger matrix. */
export interface RowPlacement {
  /** Positions of the rows in their matrix; null for all rows. */
  readonly positions: Int32Array | null;
  /** Row of the first of these rows in the larger matrix. */
  readonly first: number;
  /** Column of each column of the matrix in the larger matrix, and their number there. */
  readonly columns: Int32Array;
  readonly width: number;
  readonly signal: AbortSignal | undefined;
}

/** True if the rows of a table are those of a stored matrix, which can be read alone. */
export function hasStoredRows(table: ColumnTable): boolean {
  return rowMatrix(table) !== null;
}

function rowMatrix(table: ColumnTable): SparsePlan | null {
  const rows = findStoredRows(table);
  const sparse = rows === null ? null : findSparsePart(rows);
  return sparse === null || sparse.minor !== undefined || sparse.matrix.order !== "row" ? null : sparse.matrix;
}

/** Returns the number of stored entries; null if it is known only after a scan. */
export function countStoredEntries(table: ColumnTable): number | null {
  const rows = findStoredRows(table);
  return rows === null ? null : (findSparsePart(rows)?.matrix.nnz ?? null);
}

/**
 * Plans to read stored rows as entries of a larger matrix, in order.
 * @param fields of the row, a 64-bit integer, of the column and of the value.
 */
export async function planRepositionedRows(
  table: ColumnTable,
  source: string,
  fields: readonly ArrowField[],
  { positions, first, columns, width, signal }: RowPlacement,
): Promise<StoredTable> {
  const matrix = rowMatrix(table);
  if (matrix === null) throw new TypeError("the rows of this matrix cannot be read alone");
  const whole = createTablePlan({
    ...{ name: table.name, fields, rows: matrix.nnz, text: "error" },
    metadata: { kind: "csr_matrix", order: "row" },
    plan: { kind: "coordinate", matrix },
  });
  const { plan } = await createPartPlan(whole, positions, null, { signal });
  if (plan.kind !== "coordinate") throw new TypeError("the rows of a matrix are a matrix");
  const minor = createPositionMap(columns, width);
  return new StoredTable({ ...whole, rows: null, plan: { kind: "placed", matrix: plan.matrix, minor, first } }, source);
}
