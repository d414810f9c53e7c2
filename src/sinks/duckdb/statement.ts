/**
 * Runs a statement about a dataset: finds the tables and columns that it names, and completes DuckDB's errors, since
 * DuckDB knows only the loaded tables.
 */

import { repeatedName } from "../../kernels/text/names.js";
import type { DataTable, Layout, TableSet } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";

/** The tables, columns and layouts that are loaded for a statement: options of `loadIntoDuckDB`. */
export interface StatementTables {
  readonly tables: readonly string[];
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly layout: Readonly<Record<string, Layout>>;
}

/** Chooses the tables and columns to load. A statement without columns (`count(*)`) still needs one, for the rows. */
export async function tablesNamedIn(sql: string, dataset: TableSet): Promise<StatementTables> {
  const [{ sqlNames }, { positionedTable }] = await Promise.all([
    import("./sql-names.js"),
    import("../../tables/table-columns.js"),
  ]);
  const names = sqlNames(sql);
  const known = [...dataset.tables.keys(), ...dataset.failures.keys()];
  const tables = known.filter((name) => names.hasTable(name));
  const columns = new Map<string, readonly string[]>();
  const layout = new Map<string, Layout>();
  for (const name of tables) {
    const stored = dataset.table(name);
    // A dense matrix is loaded as coordinates where the statement names both `row` and `col`.
    const asCoordinates = stored.layouts.includes("coordinate") && names.hasWord("row") && names.hasWord("col");
    if (asCoordinates) layout.set(name, "coordinate");
    const table = positionedTable(asCoordinates ? await stored.layout("coordinate") : stored);
    const available = table.schema.fields.map((field) => field.name);
    const meant = names.columnsOf(name, available);
    // Columns that share a name cannot be chosen by it: the whole table is loaded, and DuckDB's check reports the
    // names.
    if (repeatedName(meant) !== null) continue;
    columns.set(name, meant.length === 0 ? available.filter(isOnce(available)).slice(-1) : meant);
  }
  return { tables, columns: Object.fromEntries(columns), layout: Object.fromEntries(layout) };
}

/** Whether a name stands only once among `names`. */
function isOnce(names: readonly string[]): (name: string) => boolean {
  const seen = new Set<string>();
  const twice = new Set(names.filter((name) => seen.size === seen.add(name).size));
  return (name) => !twice.has(name);
}

/**
 * Runs the statement in `database`, into which `tables` of `dataset` were loaded.
 * @throws {InvalidInputError} with DuckDB's message, and with the known names where a name is unknown.
 */
export async function answerStatement(
  database: { query(sql: string, signal?: AbortSignal): Promise<DataTable> },
  sql: string,
  { dataset, tables }: { readonly dataset: TableSet; readonly tables: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<DataTable> {
  try {
    return await database.query(sql, signal);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const hint = hintFor(error.problem, dataset, tables);
    throw hint === null ? error : new InvalidInputError(`${error.problem.replace(/ Did you mean.*/, "")} ${hint}`);
  }
}

/** A hint that lists names of the dataset: DuckDB knows only the tables and columns that were loaded. */
function hintFor(problem: string, dataset: TableSet, tables: readonly string[]): string | null {
  if (/Table with name .* does not exist/.test(problem)) return `The file has ${listed([...dataset.tables.keys()])}`;
  if (!/Referenced column .* not found/.test(problem) || tables.length === 0) return null;
  const columns = tables.map((name) => {
    const { axis, schema } = dataset.table(name);
    return `${name} has ${listed([...schema.fields.map((field) => field.name), ...(axis === null ? [] : [axis])])}`;
  });
  return columns.join("; ");
}

function listed(names: readonly string[]): string {
  const quoted = names.slice(0, 20).map((name) => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`));
  return [...new Set(quoted), ...(names.length > 20 ? ["…"] : [])].join(", ");
}
