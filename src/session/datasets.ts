/** The tables of all files of a query under the names that they have in DuckDB, as one set of tables. */

import { Int64, Table, Utf8, vectorFromArray } from "apache-arrow";
import type { Dataset, DataTable, TableSet } from "../model/dataset.js";
import { type AnnarrowError, NotFoundError } from "../model/errors.js";
import type { KeptPlace } from "../sinks/duckdb/engine.js";
import { plainTable } from "../tables/axes.js";
import { rowlessTable } from "../tables/rowless.js";
import { positionedTable } from "../tables/table-columns.js";
import { tableInMemory } from "../tables/table-in-memory.js";

/** An opened file of a query, and the name before the dot in `name.obs`. */
export interface NamedDataset {
  readonly name: string;
  readonly path: string;
  readonly dataset: Dataset;
  /** Where DuckDB keeps large matrices of the file; absent where it keeps none. */
  readonly keptAt?: (element: string) => KeptPlace;
}

/** The files of a query. */
export interface QueryDatasets {
  readonly datasets: readonly NamedDataset[];
  /** Whether the tables of all files are one table each. */
  readonly union: boolean;
}

/** The name that a table of a file has in DuckDB: its own where there is one file alone. */
export function tableName({ datasets, union }: QueryDatasets, { name }: NamedDataset, table: string): string {
  return datasets.length === 1 && !union ? table : `${name}.${table}`;
}

/** The file and the element of the table that DuckDB calls `table`; null for a table of no file. */
export function elementOf(
  query: QueryDatasets,
  table: string,
): { readonly named: NamedDataset; readonly element: string } | null {
  for (const named of query.datasets) {
    const element = [...named.dataset.tables.keys()].find((name) => tableName(query, named, name) === table);
    if (element !== undefined) return { named, element };
  }
  return null;
}

/** All tables under the names that they have in DuckDB, with `more`. */
export function allTables(query: QueryDatasets, more: ReadonlyMap<string, DataTable>): TableSet {
  const tables = new Map<string, DataTable>(more);
  const failures = new Map<string, AnnarrowError>();
  for (const named of query.datasets) {
    const nameOf = (name: string) => tableName(query, named, name);
    for (const [name, table] of named.dataset.tables) tables.set(nameOf(name), renamed(table, nameOf(name)));
    for (const [name, error] of named.dataset.failures) failures.set(nameOf(name), error);
  }
  return tableSet(query, tables, failures);
}

function tableSet(
  { datasets }: QueryDatasets,
  tables: ReadonlyMap<string, DataTable>,
  failures: ReadonlyMap<string, AnnarrowError>,
): TableSet {
  const [{ dataset }] = datasets;
  const { format, version, container } = dataset;
  return {
    ...{ format, version, container, tables, failures },
    shape: datasets.length === 1 ? dataset.shape : null,
    source: datasets.map(({ path }) => path).join(", "),
    warnings: [],
    table(name) {
      const table = tables.get(name);
      if (table !== undefined) return table;
      throw failures.get(name) ?? new NotFoundError(`no table ${JSON.stringify(name)}`);
    },
    close: async () => undefined,
  };
}

/** The same tables without their rows. */
export function withoutRows(set: TableSet): TableSet {
  const tables = new Map([...set.tables].map(([name, table]) => [name, rowlessTable(table)]));
  return {
    ...set,
    tables,
    table: (name) => tables.get(name) ?? set.table(name),
  };
}

/** The table under another name; its axis, layouts and rows stay. */
export function renamed(table: DataTable, name: string): DataTable {
  if (table.name === name) return table;
  return { ...plainTable(table), name, layout: async (layout) => renamed(await table.layout(layout), name) };
}

/** The files that have a table of this name, in small letters. */
export function having({ datasets }: QueryDatasets, name: string): readonly (NamedDataset & { table: string })[] {
  return datasets.flatMap((named) => {
    const { tables, failures } = named.dataset;
    const table = [...tables.keys(), ...failures.keys()].find((one) => one.toLowerCase() === name);
    return table === undefined ? [] : [{ ...named, table }];
  });
}

/** The answer of `show tables`: names as statements have them, rows, columns. Nothing is read. */
export function listedTables(query: QueryDatasets): DataTable {
  const rows = tablesOf(query);
  const columns = {
    name: vectorFromArray(
      rows.map(({ name }) => name),
      new Utf8(),
    ),
    rows: vectorFromArray(
      rows.map(({ count }) => (count === null ? null : BigInt(count))),
      new Int64(),
    ),
    columns: vectorFromArray(
      rows.map((row) => row.columns.join(", ")),
      new Utf8(),
    ),
  };
  return tableInMemory(new Table(columns), "tables");
}

/** A table as statements name it. */
export interface ListedTable {
  readonly name: string;
  /** Number of rows; null where only a scan can tell. */
  readonly count: number | null;
  readonly columns: readonly string[];
}

export function tablesOf(query: QueryDatasets): readonly ListedTable[] {
  return query.union ? unitedRows(query) : ownRows(query);
}

function ownRows(query: QueryDatasets): readonly ListedTable[] {
  return query.datasets.flatMap((named) =>
    [...named.dataset.tables].map(([name, table]) => ({
      name: tableName(query, named, name),
      count: table.rows,
      columns: columnsOf(table),
    })),
  );
}

function unitedRows({ datasets }: QueryDatasets): readonly ListedTable[] {
  const all = new Map<string, { name: string; count: number | null; columns: Set<string> }>();
  for (const { dataset } of datasets) {
    for (const [name, table] of dataset.tables) {
      const known = all.get(name) ?? { name, count: 0, columns: new Set(["filename"]) };
      known.count = known.count === null || table.rows === null ? null : known.count + table.rows;
      for (const column of columnsOf(table)) known.columns.add(column);
      all.set(name, known);
    }
  }
  return [...all.values()].map((table) => ({ ...table, columns: [...table.columns] }));
}

const columnsOf = (table: DataTable) => positionedTable(table).schema.fields.map(({ name }) => name);
