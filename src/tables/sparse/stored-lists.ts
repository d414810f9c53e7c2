/** Reads a stored sparse matrix's entry lists in ranges of minor positions, for a transposition. */

import { getPartShape } from "../../jobs/plan/matrix-plan.js";
import type { StoredLists } from "../column-table.js";
import type { StoredTable } from "../stored-table.js";

/** Returns the entry lists of the sparse matrix `table` in any layout; null for other tables. */
export async function findSparseLists(table: StoredTable): Promise<StoredLists | null> {
  if (!table.layouts.includes("list")) return null;
  const lists = await table.layout("list");
  const plan = lists.rowsPlan;
  if (plan.kind !== "entries") return null;
  const { matrix, minor } = plan;
  const { order, nnz } = matrix;
  return {
    order,
    size: getPartShape(matrix, minor)[order === "row" ? 1 : 0],
    entries: minor === undefined ? nnz : null,
    async like() {
      const [column] = await lists.noRows();
      if (column.layout !== "list" || column.child.layout !== "struct")
        throw new TypeError("lists of entries expected");
      return column.child.children[1];
    },
    async *blocks(bands, options = {}) {
      for await (const part of lists.parts({ kind: "bands", bands }, options)) {
        if (part.kind !== "bands") throw new TypeError("bands were asked for");
        yield* part.blocks;
      }
    },
  };
}
