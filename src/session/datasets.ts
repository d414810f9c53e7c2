/** The tables of all files of a query under the names that they have in DuckDB, as one set of tables. */

import { Int64, Table, Utf8, vectorFromArray } from "apache-arrow";
import type { Dataset, DataTable, TableSet } from "../model/dataset.js";
import { type AnnarrowError, NotFoundError } from "../model/errors.js";
import { sqlNames } from "../query/names.js";
import { namesInSql, tableInSql } from "../query/tables-in-sql.js";
import type { KeptPlace } from "../sinks/duckdb/engine.js";
import { renamedTableWarning, renamingWarning } from "../tables/distinct-columns.js";
import { rowlessTable } from "../tables/rowless.js";
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

/** The column of unions that has the path of a file. */
export const FILENAME = "filename";

/** The names of the tables of a file in DuckDB, by their elements: with the file in front where there are several. */
export function tableNames(
  { datasets, union }: QueryDatasets,
  { name, dataset }: NamedDataset,
): ReadonlyMap<string, string> {
  const names = namesInSql(dataset);
  if (datasets.length === 1 && !union) return names;
  return new Map([...names].map(([element, table]) => [element, `${name}.${table}`]));
}

/** A table of a file as statements see it. */
function inSql({ union }: QueryDatasets, table: DataTable, name: string): DataTable {
  return tableInSql(table, name, union ? [FILENAME] : []);
}

/** The file and the element of the table that DuckDB calls `table`; null for a table of no file. */
export function elementOf(
  query: QueryDatasets,
  table: string,
): { readonly named: NamedDataset; readonly element: string } | null {
  for (const named of query.datasets) {
    for (const [element, name] of tableNames(query, named)) {
      if (name === table && named.dataset.tables.has(element)) return { named, element };
    }
  }
  return null;
}

/** All tables under the names that they have in DuckDB, with `more`. */
export function allTables(query: QueryDatasets, more: ReadonlyMap<string, DataTable>): TableSet {
  const tables = new Map<string, DataTable>(more);
  const failures = new Map<string, AnnarrowError>();
  for (const named of query.datasets) {
    for (const [element, name] of tableNames(query, named)) {
      const table = named.dataset.tables.get(element);
      const error = named.dataset.failures.get(element);
      if (table !== undefined) tables.set(name, inSql(query, table, name));
      if (error !== undefined) failures.set(name, error);
    }
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

/**
 * The files that have a table of this name, in small letters.
 * @returns with each file, the name of the table in statements without a file, and its name in DuckDB.
 */
export function having(
  query: QueryDatasets,
  name: string,
): readonly (NamedDataset & { readonly table: string; readonly inDuckDB: string })[] {
  return query.datasets.flatMap((named) => {
    const all = tableNames(query, named);
    for (const [element, table] of namesInSql(named.dataset)) {
      if (table.toLowerCase() === name) return [{ ...named, table, inDuckDB: all.get(element) ?? table }];
    }
    return [];
  });
}

/** What a user should know of names that the tables and columns of a statement have in DuckDB alone. */
export function namingWarnings(query: QueryDatasets, sql: string): readonly string[] {
  const names = sqlNames(sql);
  return query.datasets.flatMap((named) =>
    [...tableNames(query, named)].flatMap(([element, name]) => {
      const table = named.dataset.tables.get(element);
      const short = namesInSql(named.dataset).get(element) ?? element;
      if (table === undefined || !names.hasTable(name)) return [];
      const columns = renamingWarning(inSql(query, table, name));
      return [
        ...(short === element ? [] : [renamedTableWarning(element, short)]),
        ...(columns === null ? [] : [columns]),
      ];
    }),
  );
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
  return query.datasets.flatMap((named) => {
    const names = tableNames(query, named);
    return [...named.dataset.tables].map(([element, table]) => ({
      name: names.get(element) ?? element,
      count: table.rows,
      columns: columnsOf(query, table),
    }));
  });
}

function unitedRows(query: QueryDatasets): readonly ListedTable[] {
  const all = new Map<string, { name: string; count: number | null; columns: Set<string> }>();
  for (const { dataset } of query.datasets) {
    const names = namesInSql(dataset);
    for (const [element, table] of dataset.tables) {
      const name = names.get(element) ?? element;
      const known = all.get(name) ?? { name, count: 0, columns: new Set([FILENAME]) };
      known.count = known.count === null || table.rows === null ? null : known.count + table.rows;
      for (const column of columnsOf(query, table)) known.columns.add(column);
      all.set(name, known);
    }
  }
  return [...all.values()].map((table) => ({ ...table, columns: [...table.columns] }));
}

const columnsOf = (query: QueryDatasets, table: DataTable) =>
  inSql(query, table, table.name).schema.fields.map(({ name }) => name);
