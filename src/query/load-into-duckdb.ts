/** Loads the tables of a dataset into a caller's DuckDB connection. */

import type { DataTable, Layout, TableSet } from "../model/dataset.js";
import { closeAfterUse } from "../model/disposal.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import { checkForDuckDB } from "../sinks/duckdb/held-types.js";
import { createDirectLoader, type DuckDBConnection, loadTable, type TableLoader } from "../sinks/duckdb/load-table.js";
import { SINK_OPTIONS, type SinkOptions } from "../sinks/stream.js";
import { renameTable } from "../tables/batch-table.js";
import { describeRenamedColumns, describeRenamedTable, makeColumnsDistinct } from "../tables/distinct-columns.js";
import { addPositionColumn, selectColumns } from "../tables/table-columns.js";
import { createSqlTableNames } from "./tables-in-sql.js";

/** The methods that are needed from a connection of `@duckdb/node-api`, in Node. */
export interface NativeDuckDBConnection {
  run(sql: string): Promise<unknown>;
  createAppender(table: string): Promise<unknown>;
}

export interface DuckDBOptions extends SinkOptions {
  /** Names of the tables to load; by default all tables that DuckDB can hold. */
  readonly tables?: readonly string[];
  /** Per table, the columns to load; all by default. */
  readonly columns?: Readonly<Record<string, readonly string[]>>;
  /** Adds the positions `row` and `col` to tables that describe an axis (see `withPositions`). The default is true. */
  readonly positions?: boolean;
  /** Layouts to load instead of the default layout, keyed by table. */
  readonly layout?: Readonly<Record<string, Layout>>;
  /**
   * Memory budget in bytes for tables in DuckDB-WASM in Node with an in-memory database. Tables that exceed it are
   * written to temporary files. Without `memory`, all tables are in DuckDB's memory, which is limited to 4 GiB. The
   * budget applies to this call only. The database must be opened with `useDirectIO: true`; otherwise DuckDB-WASM reads
   * large files incorrectly and reports wrong checksums.
   */
  readonly memory?: number;
  /**
   * Maximum size of temporary files in bytes, in addition to `memory`. By default, the free disk space is the limit.
   */
  readonly tempSize?: number;
}

const DUCKDB_OPTIONS = {
  ...SINK_OPTIONS,
  ...{ tables: true, columns: true, positions: true, layout: true, memory: true, tempSize: true },
} as const satisfies NamesOf<DuckDBOptions>;

/** The loaded tables, which `await using` can close. */
export interface DuckDBResult extends AsyncDisposable {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** Tables that were not requested and that DuckDB cannot hold, and tables and columns that were renamed. */
  readonly warnings: readonly string[];
  /**
   * Removes the tables in temporary files, and the files themselves. This also happens when the process ends. Tables in
   * DuckDB's memory are kept.
   */
  close(): Promise<void>;
}

/**
 * Creates a table in DuckDB for each table of `dataset`, with the table's name (`select * from "layers/counts"`).
 * DuckDB ignores case, so if names differ only in case, the later one gets a number. Float16 becomes FLOAT,
 * FixedSizeList[k] an array, nanosecond durations BIGINT, and a column of nulls INTEGER. Dictionaries are replaced by
 * their values, but ordered categories become ENUM in native DuckDB. A table that fails half-way is dropped again.
 * @param connection a connection to DuckDB-WASM (`@duckdb/duckdb-wasm`), or in Node to native DuckDB
 * (`@duckdb/node-api`).
 * @throws {UnsupportedError} if a named table has types that DuckDB cannot hold, and for `memory` in a web page.
 * @throws {InvalidInputError} for any other connection, for `memory` with native DuckDB, which has its own limit, and
 * if temporary files need more space than `tempSize` or the disk allows.
 * @example
 * ```ts
 * await using loaded = await loadIntoDuckDB(dataset, connection, { tables: ["obs", "X"], memory: 2 ** 28 });
 * ```
 */
export async function loadIntoDuckDB(
  dataset: TableSet,
  connection: DuckDBConnection | NativeDuckDBConnection,
  options: DuckDBOptions = {},
): Promise<DuckDBResult> {
  checkOptions(options, "loadIntoDuckDB", DUCKDB_OPTIONS);
  const loader = await loaderFor(connection, options);
  const loaded: { name: string; rows: number }[] = [];
  const warnings: string[] = [];
  const elements = options.tables ?? [...dataset.tables.keys()];
  const names = createSqlTableNames(dataset);
  try {
    for (const element of elements) {
      const name = names.get(element) ?? element;
      const table = renameTable(await prepared(dataset, element, options), name);
      try {
        checkForDuckDB(table.schema, name);
      } catch (error) {
        if (options.tables !== undefined || !isAnnarrowError(error)) throw error;
        warnings.push(error.message);
        continue;
      }
      loaded.push({ name, rows: await loader.load(table, options) });
      if (name !== element) warnings.push(describeRenamedTable(element, name));
      warnings.push(...listOf(describeRenamedColumns(table)));
    }
  } catch (error) {
    await loader.close();
    throw error;
  }
  const result = { tables: loaded, warnings, close: () => loader.close() };
  closeAfterUse(result);
  return result;
}

/** Returns the table loader for a connection. The methods of the connection determine which loader it is. */
async function loaderFor(
  connection: DuckDBConnection | NativeDuckDBConnection,
  { memory, tempSize }: DuckDBOptions,
): Promise<TableLoader> {
  if (memory === undefined && tempSize !== undefined) {
    throw new InvalidInputError('"tempSize" bounds the files of tables that exceed "memory": give both');
  }
  if (hasMethods(connection, "insertArrowFromIPCStream", "query")) {
    if (memory === undefined) return createDirectLoader((table, options) => loadTable(table, connection, options));
    const { createSpillingLoader } = await import("#platform/duckdb-loaders");
    return createSpillingLoader(connection, { memory, tempSize });
  }
  if (hasMethods(connection, "run", "createAppender")) {
    if (memory !== undefined) {
      throw new InvalidInputError(
        'native DuckDB has its own limit, beyond which it uses temporary files: run "set memory_limit = \'1GB\'" instead of giving "memory"',
      );
    }
    return (await import("#platform/duckdb-loaders")).createNativeLoader(connection);
  }
  throw new InvalidInputError(
    "it is no connection to DuckDB: give one of @duckdb/duckdb-wasm (database.connect()) or of @duckdb/node-api (instance.connect())",
  );
}

function hasMethods<K extends string>(value: unknown, ...names: K[]): value is Record<K, (...of: never) => unknown> {
  return names.every((name) => typeof Reflect.get(Object(value), name) === "function");
}

async function prepared(dataset: TableSet, name: string, options: DuckDBOptions): Promise<DataTable> {
  const stored = dataset.table(name);
  const layout = own(options.layout, name);
  const laid = layout === undefined ? stored : await stored.layout(layout);
  const table = options.positions === false ? laid : addPositionColumn(laid);
  const columns = own(options.columns, name);
  return makeColumnsDistinct(columns === undefined ? table : selectColumns(table, columns));
}

const listOf = <T>(value: T | null): readonly T[] => (value === null ? [] : [value]);

function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
