/** A matrix of the view as coordinates, whatever the form in which it comes. */

import type { ColumnTable } from "../../tables/column-table.js";
import { sparseForm } from "./sparse-form.js";

/**
 * `matrix` as coordinates in the order in which it is stored, which keep the layout of lists where it has one; what comes
 * as lists alone stays so.
 * @throws {InvalidInputError} where it is no matrix.
 */
export async function coordinateForm(matrix: ColumnTable): Promise<ColumnTable> {
  const [first, ...others] = matrix.fields;
  const isDense = others.length === 0 && first?.type.id === "FixedSizeList";
  const mayTurn = isDense || matrix.layouts.length > 0;
  return mayTurn && matrix.layouts.includes("coordinate") ? matrix.layout("coordinate") : sparseForm(matrix);
}
