/** The tables that a statement names, with the layouts and columns that it can refer to. */

import { DataType } from "apache-arrow";
import type { DataTable, TableSet } from "../model/dataset.js";
import { findPositionColumn } from "../tables/table-columns.js";
import { parseSqlNames } from "./names.js";
import { toSqlDataset } from "./tables-in-sql.js";

export interface NamedTable {
  /** The table with its positions, in the layout that the statement refers to. */
  readonly table: DataTable;
  /** The columns that the statement can refer to, at least one. */
  readonly columns: readonly string[];
  /** Axis lengths of a matrix in coordinate form, keyed by position column; null for other tables. */
  readonly entries: { readonly row: number; readonly col: number } | null;
  /** The position column that was added for the rows; null if there is none. */
  readonly position: "row" | "col" | null;
}

/**
 * Finds the tables and columns to load. A statement that names no columns (`count(*)`) still needs one column, for the
 * number of rows.
 */
export async function findNamedTables(sql: string, stored: TableSet): Promise<readonly NamedTable[]> {
  const names = parseSqlNames(sql);
  const dataset = toSqlDataset(stored);
  const known = [...dataset.tables.keys(), ...dataset.failures.keys()];
  return Promise.all(
    known
      .filter((name) => names.hasTable(name))
      .map(async (name) => {
        const named = dataset.table(name);
        // A dense matrix is loaded as coordinates if the statement names both `row` and `col`.
        const asCoordinates = named.layouts.includes("coordinate") && names.hasWord("row") && names.hasWord("col");
        const table = asCoordinates ? await named.layout("coordinate") : named;
        const available = table.schema.fields.map((field) => field.name);
        const meant = names.columnsOf(name, available);
        return {
          ...{ table, entries: entriesOf(table), position: findPositionColumn(table) },
          columns: meant.length === 0 ? available.slice(-1) : meant,
        };
      }),
  );
}

/** Returns the axis lengths of a matrix whose rows are `row, col, value`; null for other tables. */
function entriesOf({ schema: { fields }, metadata }: DataTable): NamedTable["entries"] {
  const [row, col] = metadata.shape ?? [];
  const isMatrix = metadata.kind === "csr_matrix" || metadata.kind === "csc_matrix" || metadata.layout === "coordinate";
  if (!isMatrix || row === undefined || col === undefined || metadata.shape?.length !== 2) return null;
  const [first, second, value] = fields;
  const isPosition = (type: DataType | undefined) => DataType.isInt(type);
  return fields.length === 3 && first.name === "row" && second.name === "col" && value.name === "value"
    ? isPosition(first.type) && isPosition(second.type)
      ? { row, col }
      : null
    : null;
}
