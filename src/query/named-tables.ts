/** The tables that a statement names, in the layouts and with the columns that it can mean. */

import { repeatedName } from "../kernels/text/names.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { positionedTable } from "../tables/table-columns.js";
import { sqlNames } from "./names.js";

/** A table that a statement names. */
export interface NamedTable {
  /** The table with its positions, in the layout that the statement means. */
  readonly table: DataTable;
  /** The columns that the statement can mean, at least one; null where columns share a name, so that none can be chosen. */
  readonly columns: readonly string[] | null;
}

/** Finds the tables and columns to load. A statement without columns (`count(*)`) still needs one, for the rows. */
export async function tablesNamedIn(sql: string, dataset: TableSet): Promise<readonly NamedTable[]> {
  const names = sqlNames(sql);
  const known = [...dataset.tables.keys(), ...dataset.failures.keys()];
  return Promise.all(
    known
      .filter((name) => names.hasTable(name))
      .map(async (name) => {
        const stored = dataset.table(name);
        // A dense matrix is loaded as coordinates where the statement names both `row` and `col`.
        const asCoordinates = stored.layouts.includes("coordinate") && names.hasWord("row") && names.hasWord("col");
        const table = positionedTable(asCoordinates ? await stored.layout("coordinate") : stored);
        const available = table.schema.fields.map((field) => field.name);
        const meant = names.columnsOf(name, available);
        // Columns that share a name cannot be chosen by it: the whole table is loaded, and DuckDB's check reports the
        // names.
        if (repeatedName(meant) !== null) return { table, columns: null };
        return { table, columns: meant.length === 0 ? available.filter(isOnce(available)).slice(-1) : meant };
      }),
  );
}

/** Whether a name stands only once among `names`. */
function isOnce(names: readonly string[]): (name: string) => boolean {
  const seen = new Set<string>();
  const twice = new Set(names.filter((name) => seen.size === seen.add(name).size));
  return (name) => !twice.has(name);
}
