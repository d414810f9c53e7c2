/** Writes tables as a DuckDB database file, with views that join matrices with the names of rows and columns. */

import { makeDistinctNames } from "../../kernels/text/names.js";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, isUnsupportedOrInvalid } from "../../model/errors.js";
import { renameTable } from "../../tables/batch-table.js";
import { describeRenamedColumns, describeRenamedTable, makeColumnsDistinct } from "../../tables/distinct-columns.js";
import { addPositionColumn, hasEntryRows } from "../../tables/table-columns.js";
import type { SinkOptions } from "../stream.js";
import { quoteSqlName } from "./engine.js";
import { type NativeDuckDBOptions, openNativeDuckDB } from "./native-database.node.js";

export interface DatabaseOptions extends SinkOptions, NativeDuckDBOptions {
  /** Whether to omit tables that DuckDB cannot hold, with a warning, instead of failing. */
  readonly lossy?: boolean;
}

export interface DatabaseResult {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/** Suffix of view names. */
const NAMED = "_named";

/**
 * Writes the tables into a new database file at `path` and closes it, so that everything is in one file. Tables along
 * an axis get its positions, and dense matrices of observations and variables become coordinates, so that all tables
 * join by `row` and `col`. DuckDB ignores case, so table and column names that differ only in case get a number.
 * @throws {UnsupportedError} if DuckDB cannot hold a table, unless `lossy` is set.
 */
export async function writeDatabase(
  tables: readonly DataTable[],
  path: string,
  options: DatabaseOptions,
): Promise<DatabaseResult> {
  const database = await openNativeDuckDB({ ...options, path });
  const written: { table: DataTable; rows: number }[] = [];
  const warnings: string[] = [];
  try {
    const names = makeDistinctNames(tables.map(({ name }) => name));
    for (const [i, stored] of tables.entries()) {
      const laid = renameTable(await asCoordinates(stored), names[i]);
      const table = makeColumnsDistinct(addPositionColumn(laid));
      if (names[i] !== stored.name) warnings.push(describeRenamedTable(stored.name, names[i]));
      const renaming = describeRenamedColumns(table);
      if (renaming !== null) warnings.push(renaming);
      try {
        written.push({ table, rows: await database.load(table, options) });
      } catch (error) {
        if (!options.lossy || !isUnsupportedOrInvalid(error)) throw error;
        warnings.push(`left out: ${error.message}`);
      }
    }
    if (written.length === 0) throw new InvalidInputError("there is no table that DuckDB can hold");
    for (const view of namedViews(written.map(({ table }) => table))) await database.run(view);
    await database.run("checkpoint");
  } finally {
    await database.close();
  }
  return { tables: written.map(({ table, rows }) => ({ name: table.name, rows })), warnings };
}

/** Matches the names of matrices of observations and variables. */
const MATRIX = /^(.*\/)?(?:(?<!\b(?:obs|var)[mp]\/)X|layers\/.+)$/;

/** Converts a dense matrix to the coordinates of its nonzero values. Returns other tables unchanged. */
async function asCoordinates(table: DataTable): Promise<DataTable> {
  return MATRIX.test(table.name) && table.layouts.includes("coordinate") ? table.layout("coordinate") : table;
}

/** Returns the statements that create the views: the entries of each matrix with their row and column names. */
function namedViews(tables: readonly DataTable[]): readonly string[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const taken = new Set(tables.map(({ name }) => name.toLowerCase()));
  return tables.flatMap((table) => {
    const { name } = table;
    const folder = MATRIX.exec(name)?.[1] ?? (MATRIX.test(name) ? "" : null);
    const [obs, variables] =
      folder === null ? [null, null] : [frameAbove(byName, folder, "obs"), frameAbove(byName, folder, "var")];
    const view = `${name}${NAMED}`;
    if (obs === null || variables === null || !hasEntryRows(table) || taken.has(view.toLowerCase())) return [];
    return [
      `create view ${quoteSqlName(view)} as select "row", "col", o.${quoteSqlName(obs.index)} as obs_name, v.${quoteSqlName(variables.index)} as var_name, m."value" ` +
        `from ${quoteSqlName(name)} m join ${quoteSqlName(obs.name)} o using ("row") join ${quoteSqlName(variables.name)} v using ("col")`,
    ];
  });
}

interface NamedFrame {
  readonly name: string;
  readonly index: string;
}

/**
 * Finds the nearest dataframe of an axis, first in the matrix's own folder (`raw/var`), then in its parent folders.
 * Returns null if that dataframe's rows have no names.
 */
function frameAbove(tables: ReadonlyMap<string, DataTable>, folder: string, axis: "obs" | "var"): NamedFrame | null {
  const table = tables.get(`${folder}${axis}`);
  if (table === undefined) return folder === "" ? null : frameAbove(tables, folder.replace(/[^/]*\/$/, ""), axis);
  const { index } = table.metadata;
  const has = (column: string) => table.schema.fields.some(({ name }) => name === column);
  return typeof index === "string" && has(index) && has(axis === "obs" ? "row" : "col")
    ? { name: table.name, index }
    : null;
}
