/** Selects matrices of the inputs, and reads their rows as entries of the union. */

import { type ArrowField, createField, describeArrowType, getCoordinateType, INT64 } from "../arrow/type.js";
import { isNumericType, type NumericType } from "../concat/common-type.js";
import { getMatrixEntryType } from "../concat/matrix-part.js";
import { findSparsePart } from "../jobs/plan/matrix-plan.js";
import type { SparsePlan } from "../jobs/plan/plan.js";
import { UnsupportedError } from "../model/errors.js";
import { type ColumnTable, findStoredRows } from "../tables/column-table.js";

/** Returns the names of matrices that a union can include: `X` and the layers. */
export function listMatrixNames(tables: ReadonlyMap<string, ColumnTable>): readonly string[] {
  return [...tables.keys()].filter((name) => name === "X" || name.startsWith("layers/"));
}

export function createMatrixFields(columns: number, type: NumericType): readonly ArrowField[] {
  return [
    createField("row", INT64, false),
    createField("col", getCoordinateType(columns), false),
    createField("value", type, false),
  ];
}

/**
 * The type of the values of a matrix.
 * @throws {UnsupportedError} for values that are no numbers.
 */
export function getNumericValueType(table: ColumnTable): NumericType {
  const type = getMatrixEntryType(table);
  if (isNumericType(type)) return type;
  throw new UnsupportedError(`${describeArrowType(type)} is no type of numbers`, { element: table.name });
}

/** The stored matrix of a table whose rows can be read alone; null for other tables. */
export function findSparsePlan(table: ColumnTable): SparsePlan | null {
  const rows = findStoredRows(table);
  const sparse = rows === null ? null : findSparsePart(rows);
  return sparse === null || sparse.minor !== undefined || sparse.matrix.order !== "row" ? null : sparse.matrix;
}

/** Returns the number of stored entries; null if it is known only after a scan. */
export function countStoredEntries(table: ColumnTable): number | null {
  const rows = findStoredRows(table);
  return rows === null ? null : (findSparsePart(rows)?.matrix.nnz ?? null);
}
