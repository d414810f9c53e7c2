/** From positions on the axes of a matrix to a plan for the entries there. */

import { InvalidInputError } from "../../model/errors.js";
import type { TablePlan } from "./plan.js";

/**
 * The coordinate table of a matrix with only the entries whose `row` and `col` are among these positions; order and
 * repetition of positions mean nothing. How many entries there are, only a scan can tell.
 * @throws {InvalidInputError} where the table is no coordinate table of a matrix, or a position is outside.
 */
export function selectEntries(
  table: TablePlan,
  { row, col }: { readonly row?: Iterable<number>; readonly col?: Iterable<number> },
): TablePlan {
  const { plan, name } = table;
  if (plan.kind === "nonzeros" && plan.row === null && plan.col === null) {
    const [height = 0, width = 0] = plan.array.shape ?? [];
    const rows = row === undefined ? null : positions(row, height, "row", name);
    const cols = col === undefined ? null : positions(col, width, "col", name);
    return { ...table, rows: null, plan: { ...plan, row: rows, col: cols } };
  }
  if (plan.kind !== "coordinate") {
    throw new InvalidInputError("positions can be selected in the coordinate layout of a matrix", { element: name });
  }
  const { matrix } = plan;
  const rows = row === undefined ? null : positions(row, matrix.shape[0], "row", name);
  const cols = col === undefined ? null : positions(col, matrix.shape[1], "col", name);
  const [major, minor] = matrix.order === "row" ? [rows, cols] : [cols, rows];
  return { ...table, rows: null, plan: { kind: "selected", matrix, major, minor } };
}

function positions(asked: Iterable<number>, size: number, axis: string, element: string): number[] {
  const sorted = [...new Set(asked)].sort((a, b) => a - b);
  const wrong = sorted.find((position) => !(Number.isInteger(position) && position >= 0 && position < size));
  if (wrong === undefined) return sorted;
  throw new InvalidInputError(`${axis} ${wrong} was asked for, there are 0 … ${size - 1}`, { element });
}
