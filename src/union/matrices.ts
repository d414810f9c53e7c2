/** Selects matrices of the inputs, and reads their rows as entries of the union. */

import { type ArrowField, coordinateType, field, INT64, typeText } from "../arrow/type.js";
import { isNumericType, type NumericType } from "../concat/common-type.js";
import { valueType } from "../concat/matrix-part.js";
import { sparsePart } from "../jobs/plan/matrix-plan.js";
import type { SparsePlan } from "../jobs/plan/plan.js";
import { UnsupportedError } from "../model/errors.js";
import { type ColumnTable, storedRows } from "../tables/column-table.js";

/** Returns the names of matrices that a union can include: `X` and the layers. */
export function matrixNames(tables: ReadonlyMap<string, ColumnTable>): readonly string[] {
  return [...tables.keys()].filter((name) => name === "X" || name.startsWith("layers/"));
}

export function matrixFields(columns: number, type: NumericType): readonly ArrowField[] {
  return [field("row", INT64, false), field("col", coordinateType(columns), false), field("value", type, false)];
}

/**
 * The type of the values of a matrix.
 * @throws {UnsupportedError} for values that are no numbers.
 */
export function numbersType(table: ColumnTable): NumericType {
  const type = valueType(table);
  if (isNumericType(type)) return type;
  throw new UnsupportedError(`${typeText(type)} is no type of numbers`, { element: table.name });
}

/** The stored matrix of a table whose rows can be read alone; null for other tables. */
export function storedMatrix(table: ColumnTable): SparsePlan | null {
  const rows = storedRows(table);
  const sparse = rows === null ? null : sparsePart(rows);
  return sparse === null || sparse.minor !== undefined || sparse.matrix.order !== "row" ? null : sparse.matrix;
}

/** Returns the number of stored entries; null if it is known only after a scan. */
export function entriesOf(table: ColumnTable): number | null {
  const rows = storedRows(table);
  return rows === null ? null : (sparsePart(rows)?.matrix.nnz ?? null);
}
