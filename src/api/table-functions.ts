/** Functions on a user's table: positions as a column, and sums along an axis. */

import type { DataTable } from "../model/dataset.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { checkOptions, SIGNAL_OPTION } from "../model/option-names.js";
import type { PartOptions, StoredTable } from "../tables/stored-table.js";
import { addPositionColumn } from "../tables/table-columns.js";
import { makeDisplayable } from "./display/display.js";

/**
 * Appends a column of positions to a table along an axis.
 * @returns a table whose last column, `row` or `col`, contains the position of each row, starting at 0: Int32, or Int64
 * for 2^31 rows or more. Columns in the file named `row`, `col` or `value` become `row_1`, `col_1` or `value_1`, but
 * are written back under their original names. Returns `table` itself if it has no axis, or if its rows are entries.
 * @example
 * ```ts
 * const obs = withPositions(data.table("obs")); // joins with X by `row`
 * ```
 */
export function withPositions(table: DataTable): DataTable {
  const positioned = addPositionColumn(table);
  return positioned === table ? table : makeDisplayable(positioned);
}

/**
 * Sums the values at each position of an axis of a sparse matrix, using worker threads if this is faster. Duplicate
 * entries are added up.
 * @param table a sparse matrix in any layout.
 * @param axis the axis along which there is one sum per position.
 * @returns one sum per position of the axis.
 * @example
 * ```ts
 * const counts = await axisSums(data.table("X"), "row");
 * ```
 * @throws {InvalidInputError} if the table is not a sparse matrix, or its values are not numbers.
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

/** Maximum number of sums, which then take a gigabyte. The declared shape could have any number of positions. */
const MAX_SUMS = 2 ** 27;

/**
 * Sums the values at each position of an axis of a sparse matrix.
 * @throws {InvalidInputError} if the table is not a sparse matrix, or its values are not numbers.
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
  if (size > MAX_SUMS) {
    throw new UnsupportedError(`sums of ${size} positions, at most ${MAX_SUMS}`, location);
  }
  const sums = new Float64Array(size);
  for await (const part of entries.parts({ kind: "sums" }, { ...options, fields: [field] })) {
    if (part.kind !== "sums") throw new TypeError("sums were asked for");
    for (let i = 0; i < part.sums.length; i++) sums[part.first + i] += part.sums[i];
  }
  return sums;
}
