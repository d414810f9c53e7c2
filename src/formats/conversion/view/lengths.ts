/** Compares the shape of a view's matrix with the lengths of its axes. */

import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import type { AnnotatedView } from "./format-conversion.js";

/**
 * Determines the shape of `matrix`: from its metadata, else from the dataset, else from the lengths of the axes.
 * @param axes the tables for the rows and for the columns.
 * @throws {InvalidInputError} if these sources differ; the message contains both tables and both numbers.
 */
export function findMatrixShape(
  view: AnnotatedView,
  matrix: ColumnTable,
  axes: readonly [row: string | null, column: string | null],
): readonly [number, number] | null {
  const stored = matrix.metadata?.shape;
  const known = stored?.length === 2 ? stored : view.shape;
  const lengths = axes.map((axis, dimension) => {
    const rows = (axis === null ? null : view.tables.get(axis)?.rows) ?? null;
    const size = known?.[dimension] ?? rows;
    if (axis !== null && rows !== null && size !== rows) {
      const what = dimension === 0 ? "rows" : "columns";
      throw new InvalidInputError(`${rows} rows, ${view.matrix} has ${size} ${what}`, { element: axis });
    }
    return size;
  });
  const [rows, columns] = lengths;
  return rows === null || columns === null ? null : [rows, columns];
}
