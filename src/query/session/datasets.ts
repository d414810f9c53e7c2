/** The tables of all files in a query, under their DuckDB names, as one set of tables. */

import { Int64, Table, Utf8, vectorFromArray } from "apache-arrow";
import type { Dataset, DataTable, TableSet } from "../../model/dataset.js";
import { type AnnarrowError, NotFoundError } from "../../model/errors.js";
import type { CachedTableLocation } from "../../sinks/duckdb/engine.js";
import { describeRenamedColumns, describeRenamedTable } from "../../tables/distinct-columns.js";
import { toRowlessTable } from "../../tables/rowless.js";
import { createMemoryTable } from "../../tables/table-in-memory.js";
import { parseSqlNames } from "../names.js";
import { createSqlTableNames, toSqlTable } from "../tables-in-sql.js";

/** An opened file in a query. `name` is the part before the dot in `name.obs`. */
export interface NamedDataset {
  readonly name: string;
  readonly path: string;
  readonly dataset: Dataset;
  /** Location of DuckDB's cached copies of large matrices; absent if matrices are not cached. */
  readonly keptAt?: (element: string) => CachedTableLocation;
}

export interface QueryDatasets {
  readonly datasets: readonly NamedDataset[];
  /** Whether tables that have the same name in several files are combined into one table. */
  readonly union: boolean;
}

/** The column in combined tables that contains the path of the file. */
export const FILENAME = "filename";

/**
 * Maps the elements of a file to table names in DuckDB. If there are several files, the file's name becomes a prefix.
 */
export function getDuckDBTableNames(
  { datasets, union }: QueryDatasets,
  { name, dataset }: NamedDataset,
): ReadonlyMap<string, string> {
  const names = createSqlTableNames(dataset);
  if (datasets.length === 1 && !union) return names;
  return new Map([...names].map(([element, table]) => [element, `${name}.${table}`]));
}

function inSql({ union }: QueryDatasets, table: DataTable, name: string): DataTable {
  return toSqlTable(table, name, union ? [FILENAME] : []);
}

/** Returns the file and the element of the DuckDB table `table`; null if the table does not belong to a file. */
export function findTableElement(
  query: QueryDatasets,
  table: string,
): { readonly named: NamedDataset; readonly element: string } | null {
  for (const named of query.datasets) {
    for (const [element, name] of getDuckDBTableNames(query, named)) {
      if (name === table && named.dataset.tables.has(element)) return { named, element };
    }
  }
  return null;
}

/** Returns all tables under their DuckDB names, together with the additional tables `more`. */
export function getQueryTables(query: QueryDatasets, more: ReadonlyMap<string, DataTable>): TableSet {
  const tables = new Map<string, DataTable>(more);
  const failures = new Map<string, AnnarrowError>();
  for (const named of query.datasets) {
    for (const [element, name] of getDuckDBTableNames(query, named)) {
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

export function dropTableRows(set: TableSet): TableSet {
  const tables = new Map([...set.tables].map(([name, table]) => [name, toRowlessTable(table)]));
  return {
    ...set,
    tables,
    table: (name) => tables.get(name) ?? set.table(name),
  };
}

/**
 * Finds the files that have a table with this lower-case name.
 * @returns each file, together with the table's name in statements that do not name the file, and the table's name in
 * DuckDB.
 */
export function findDatasetsWithTable(
  query: QueryDatasets,
  name: string,
): readonly (NamedDataset & { readonly table: string; readonly inDuckDB: string })[] {
  return query.datasets.flatMap((named) => {
    const all = getDuckDBTableNames(query, named);
    for (const [element, table] of createSqlTableNames(named.dataset)) {
      if (table.toLowerCase() === name) return [{ ...named, table, inDuckDB: all.get(element) ?? table }];
    }
    return [];
  });
}

/** Returns warnings about tables and columns in a statement that have different names in DuckDB. */
export function listNamingWarnings(query: QueryDatasets, sql: string): readonly string[] {
  const names = parseSqlNames(sql);
  return query.datasets.flatMap((named) =>
    [...getDuckDBTableNames(query, named)].flatMap(([element, name]) => {
      const table = named.dataset.tables.get(element);
      const short = createSqlTableNames(named.dataset).get(element) ?? element;
      if (table === undefined || !names.hasTable(name)) return [];
      const columns = describeRenamedColumns(inSql(query, table, name));
      return [
        ...(short === element ? [] : [describeRenamedTable(element, short)]),
        ...(columns === null ? [] : [columns]),
      ];
    }),
  );
}

/** Answers `show tables` with the names used in statements, the numbers of rows, and the columns. Nothing is read. */
export function createShowTablesAnswer(query: QueryDatasets): DataTable {
  const rows = listQueryTables(query);
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
  return createMemoryTable(new Table(columns), "tables");
}

export interface ListedTable {
  readonly name: string;
  /** Number of rows; null if only a scan can determine the number. */
  readonly count: number | null;
  readonly columns: readonly string[];
}

export function listQueryTables(query: QueryDatasets): readonly ListedTable[] {
  return query.union ? unitedRows(query) : ownRows(query);
}

function ownRows(query: QueryDatasets): readonly ListedTable[] {
  return query.datasets.flatMap((named) => {
    const names = getDuckDBTableNames(query, named);
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
    const names = createSqlTableNames(dataset);
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
