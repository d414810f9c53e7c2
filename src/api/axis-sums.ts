import type { DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";

/**
 * Sums the values at each position of an axis of a sparse matrix, in workers where they pay. Entries that are stored twice
 * count twice.
 * @param table a sparse matrix, in any layout.
 * @param axis the axis whose positions have a sum each.
 * @returns one sum per position of the axis.
 * @example
 * ```ts
 * const counts = await axisSums(data.table("X"), "row");
 * ```
 * @throws {InvalidInputError} where the table is no sparse matrix, or its values are no numbers.
 */
export async function axisSums(
  table: DataTable,
  axis: "row" | "col",
  options: { readonly signal?: AbortSignal } = {},
): Promise<Float64Array> {
  const { PlannedTable } = await import("../tables/planned-table.js");
  if (table instanceof PlannedTable) return table.stored.sums(axis, options);
  throw new InvalidInputError("only a sparse matrix of an opened dataset has sums along an axis", {
    element: table.name,
  });
}
