/** The way from a stored table to the one that the user holds. */

import type { DataTable } from "../model/dataset.js";
import type { StoredTable } from "./stored-table.js";

/** The table with apache-arrow's schema and record batches; loads apache-arrow, which stored tables do without. */
export async function dataTableOf(stored: StoredTable): Promise<DataTable> {
  const { PlannedTable } = await import("./planned-table.js");
  return new PlannedTable(stored);
}
