/** Functions on a table that a user holds: positions as a column, sums along an axis. */

import { shown } from "../display/display.js";
import type { DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { checkOptions, SIGNAL_OPTION } from "../model/option-names.js";
import { positionedTable } from "../tables/table-columns.js";

/**
 * Adds the column of positions to the end of a table along an axis.
 * @returns a table whose last column, `row` or `col`, is the position of each row from 0: Int32, Int64 for 2^31 rows or more.
 * Columns of the file that are called `row`, `col` or `value` are `row_1`, `col_1` or `value_1` there, and are written under
 * their own names again.
 * `table` itself where it has no axis, and where its rows are entries.
 * @example
 * ```ts
 * const obs = withPositions(data.table("obs")); // joins with X by `row`
 * ```
 */
export function withPositions(table: DataTable): DataTable {
  const positioned = positionedTable(table);
  return positioned === table ? table : shown(positioned);
}

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
  checkOptions(options, "axisSums", SIGNAL_OPTION);
  const { PlannedTable } = await import("../tables/planned-table.js");
  if (table instanceof PlannedTable) return table.stored.sums(axis, options);
  throw new InvalidInputError("only a sparse matrix of an opened dataset has sums along an axis", {
    element: table.name,
  });
}
