/** The matrix of a view as a sparse one, whatever the form in which it comes. */

import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { nonZeroTable } from "../../tables/non-zeros.js";

/**
 * `matrix` as lists of entries, coordinates, or the non-zeros of a dense one, in the order in which it is stored.
 * @throws {InvalidInputError} where it is none of these.
 */
export async function sparseForm(matrix: ColumnTable): Promise<ColumnTable> {
  const { fields, layouts, name } = matrix;
  const [first] = fields;
  const isSparse = first?.name === "entries" || (fields.length === 3 && fields.some((field) => field.name === "row"));
  if (isSparse) return matrix;
  if (layouts.includes("list")) return matrix.layout("list");
  if (layouts.includes("coordinate")) return matrix.layout("coordinate");
  if (fields.length === 1 && first?.type.id === "FixedSizeList") return nonZeroTable(matrix);
  throw new InvalidInputError(
    "no matrix: coordinates (row, col, value), lists of entries (index, value), or lists of fixed size",
    { element: name },
  );
}
