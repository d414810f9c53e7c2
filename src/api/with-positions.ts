/** Positions as a column of the tables that a user holds. */

import { shown } from "../display/display.js";
import type { DataTable } from "../model/dataset.js";
import { positionedTable } from "../tables/table-columns.js";

/**
 * `table` with one more column at its end, named after its axis (`row` or `col`): the position of each row, from 0.
 * Int32, Int64 where there are 2^31 rows or more. A table without an axis, or with a stored column of that name,
 * is returned as it is.
 * @example
 * ```ts
 * const obs = withPositions(data.table("obs")); // joins with X by `row`
 * ```
 */
export function withPositions(table: DataTable): DataTable {
  const positioned = positionedTable(table);
  return positioned === table ? table : shown(positioned);
}
