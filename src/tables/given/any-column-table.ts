/** A table of a dataset, before or after any Arrow object, as writers take it. */

import type { DataTable } from "../../model/dataset.js";
import type { ColumnTable } from "../column-table.js";
import { StoredTable } from "../stored-table.js";

/**
 * Tables of an opened file need no Arrow object.
 * @param mostUnwritten bytes of values that may be stored nowhere in that file; any number by default.
 */
export async function columnTableOf(
  table: DataTable | StoredTable,
  mostUnwritten: number | null = null,
): Promise<ColumnTable> {
  const { storedColumnTable } = await import("./stored-column-table.js");
  const limited = (stored: StoredTable) => (mostUnwritten === null ? stored : stored.limited(mostUnwritten));
  if (table instanceof StoredTable) return storedColumnTable(limited(table));
  const { PlannedTable } = await import("../planned-table.js");
  if (table instanceof PlannedTable) return storedColumnTable(limited(table.stored));
  return (await import("./arrow-column-table.js")).columnTable(table);
}
