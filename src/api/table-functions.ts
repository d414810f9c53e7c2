/** Functions on a table that a user holds: positions as a column, sums along an axis. */

import { shown } from "../display/display.js";
import type { DataTable } from "../model/dataset.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { checkOptions, SIGNAL_OPTION } from "../model/option-names.js";
import type { PartOptions, StoredTable } from "../tables/stored-table.js";
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
  if (table instanceof PlannedTable) return addUpAxis(table.stored, axis, options);
  throw new InvalidInputError("only a sparse matrix of an opened dataset has sums along an axis", {
    element: table.name,
  });
}

/** Most sums, which take a gigabyte: a shape can claim any number of positions. */
const MOST_SUMS = 2 ** 27;

/**
 * Adds up the values at each position of an axis of a sparse matrix.
 * @throws {InvalidInputError} where the table is no sparse matrix, or its values are no numbers.
 */
async function addUpAxis(
  table: StoredTable,
  axis: "row" | "col",
  options: Pick<PartOptions, "signal"> = {},
): Promise<Float64Array> {
  const { rowsPlan: plan, name, source } = table;
  const location = { source, element: name };
  if (plan.kind !== "coordinate" && plan.kind !== "entries" && plan.kind !== "dense-rows") {
    throw new InvalidInputError("only a sparse matrix has sums along an axis", location);
  }
  const field = axis === "row" ? 0 : 1;
  const entries = await table.layout("coordinate");
  const size = plan.matrix.shape[field];
  if (size > MOST_SUMS) {
    throw new UnsupportedError(`sums of ${size} positions, at most ${MOST_SUMS}`, location);
  }
  const sums = new Float64Array(size);
  for await (const part of entries.parts({ kind: "sums" }, { ...options, fields: [field] })) {
    if (part.kind !== "sums") throw new TypeError("sums were asked for");
    for (let i = 0; i < part.sums.length; i++) sums[part.first + i] += part.sums[i];
  }
  return sums;
}
