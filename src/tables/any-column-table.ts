/** A table of a dataset, before or after any Arrow object, as writers take it. */

import type { DataTable } from "../dataset.js";
import type { ColumnTable } from "./column-table.js";
import { StoredTable } from "./stored-table.js";

/** Tables of an opened file need no Arrow object. */
export async function columnTableOf(table: DataTable | StoredTable): Promise<ColumnTable> {
  const { storedColumnTable } = await import("./stored-column-table.js");
  if (table instanceof StoredTable) return storedColumnTable(table);
  const { PlannedTable } = await import("./planned-table.js");
  if (table instanceof PlannedTable) return storedColumnTable(table.stored);
  return (await import("./arrow-column-table.js")).columnTable(table);
}
