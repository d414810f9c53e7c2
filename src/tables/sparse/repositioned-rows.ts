/** Rows of a stored sparse matrix as entries in a larger matrix. Workers read and reposition them. */

import type { ArrowField } from "../../arrow/type.js";
import { findSparsePart } from "../../jobs/plan/matrix-plan.js";
import { createPartPlan } from "../../jobs/plan/part-plan.js";
import { createTablePlan, type SparsePlan } from "../../jobs/plan/plan.js";
import { createPositionMap } from "../../kernels/sparse/minor-map.js";
import { type ColumnTable, findStoredRows } from "../column-table.js";
import { StoredTable } from "../stored-table.js";

/** The positions that some rows of a matrix have in a larger matrix. */
export interface RowPlacement {
  /** Positions of the rows in their own matrix; null for all rows. */
  readonly positions: Int32Array | null;
  /** The position that the first of these rows has in the larger matrix. */
  readonly first: number;
  /**
   * For each column of the matrix, its position in the larger matrix. `width` is the larger matrix's number of columns.
   */
  readonly columns: Int32Array;
  readonly width: number;
  readonly signal: AbortSignal | undefined;
}

/** Whether a table's rows are those of a stored matrix that can be read separately. */
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
 * Plans to read stored rows as entries in a larger matrix, in order.
 * @param fields the fields of the row (a 64-bit integer), the column and the value.
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
