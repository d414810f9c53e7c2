/**
 * Loads tables into DuckDB: into DuckDB-WASM as IPC bytes and never as Arrow objects: DuckDB-WASM has its own copy of apache-arrow.
 */

import type { RecordBatch } from "apache-arrow";
import { streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable, Layout, TableSet } from "../../model/dataset.js";
import {
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../model/errors.js";
import { positionedTable, selectColumns } from "../../tables/table-columns.js";
import { batchesOf, type SinkOptions } from "../stream.js";
import { substitution } from "../substitute.js";
import { duckdbMessage, quotedName } from "./engine.js";
import { checkForDuckDB, duckdbRule } from "./held-types.js";

/** The methods needed of a connection of `@duckdb/duckdb-wasm`, the asynchronous one or the blocking one. */
export interface DuckDBConnection {
  insertArrowFromIPCStream(buffer: Uint8Array, options: { name: string; create?: boolean; schema?: string }): unknown;
  query(sql: string): unknown;
}

/** The methods needed of a connection of `@duckdb/node-api`, in Node. */
export interface NativeDuckDBConnection {
  run(sql: string): Promise<unknown>;
  createAppender(table: string): Promise<unknown>;
}

export interface DuckDBOptions extends SinkOptions {
  /** Names of the tables to load; all that DuckDB can hold by default. */
  readonly tables?: readonly string[];
  /** Per table, the columns to load; all by default. */
  readonly columns?: Readonly<Record<string, readonly string[]>>;
  /** Adds the positions `row` and `col` to tables that describe an axis (see `withPositions`); true by default. */
  readonly positions?: boolean;
  /** Per table, another layout. */
  readonly layout?: Readonly<Record<string, Layout>>;
}

export interface DuckDBResult {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** Tables that were not named and that DuckDB cannot hold. */
  readonly warnings: readonly string[];
}

/** Bytes of a stream of batches: DuckDB holds one stream twice. */
const STREAM_BYTES = 2 ** 25;

/**
 * Creates a table in DuckDB for each table of `dataset`, with the table's name (`select * from "layers/counts"`).
 * Float16 arrives as FLOAT, FixedSizeList[k] as an array, dictionaries as their values, nanosecond durations as BIGINT,
 * a column of nulls as INTEGER; ordered categories as ENUM in native DuckDB. A table that fails half-way is dropped again.
 * @param connection to DuckDB-WASM (`@duckdb/duckdb-wasm`), or in Node to native DuckDB (`@duckdb/node-api`).
 * @throws {UnsupportedError} where a named table has types that DuckDB cannot hold.
 * @throws {InvalidInputError} for another connection.
 */
export async function loadIntoDuckDB(
  dataset: TableSet,
  connection: DuckDBConnection | NativeDuckDBConnection,
  options: DuckDBOptions = {},
): Promise<DuckDBResult> {
  const load = await loaderFor(connection);
  const loaded: { name: string; rows: number }[] = [];
  const warnings: string[] = [];
  const names = options.tables ?? [...dataset.tables.keys()];
  refuseSameNames(names);
  for (const name of names) {
    const table = await prepared(dataset, name, options);
    try {
      checkForDuckDB(table.schema, name);
    } catch (error) {
      if (options.tables !== undefined || !isAnnarrowError(error)) throw error;
      warnings.push(error.message);
      continue;
    }
    loaded.push({ name, rows: await load(table, options) });
  }
  return { tables: loaded, warnings };
}

/** What creates a table through the connection, which its methods tell. */
async function loaderFor(connection: DuckDBConnection | NativeDuckDBConnection) {
  if (hasMethods(connection, "insertArrowFromIPCStream", "query")) {
    return (table: DataTable, options: SinkOptions) => loadTable(table, connection, options);
  }
  if (hasMethods(connection, "run", "createAppender")) {
    return (await import("#platform/native-duckdb")).nativeLoader(connection);
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
  const table = options.positions === false ? laid : positionedTable(laid);
  const columns = own(options.columns, name);
  return columns === undefined ? table : selectColumns(table, columns);
}

function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** @throws {InvalidInputError} for names that differ in capitals alone. */
export function refuseSameNames(names: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      throw new InvalidInputError(`DuckDB cannot tell the tables "${other}" and "${name}" apart; load one of them`);
    }
    seen.set(name.toLowerCase(), name);
  }
}

/**
 * Creates a table in DuckDB with the columns and rows of `table`, which `checkForDuckDB` has checked.
 * @returns the number of rows.
 */
export async function loadTable(table: DataTable, connection: DuckDBConnection, options: SinkOptions): Promise<number> {
  const changed = substitution(table.schema, duckdbRule);
  const schema = changed?.schema ?? table.schema;
  let rows = 0;
  let created = false;
  let waiting: RecordBatch[] = [];
  let bytes = 0;
  const flush = async () => {
    const stream = streamBytes(schema, waiting);
    waiting = [];
    bytes = 0;
    await connection.insertArrowFromIPCStream(stream, { name: table.name, create: !created });
    created = true;
    // A blocking engine leaves no turn of the event loop in which a signal could arrive.
    await new Promise((resolve) => setTimeout(resolve));
  };
  try {
    for await (const batch of batchesOf(table, options)) {
      if (bytes > 0 && bytes + batch.data.byteLength > STREAM_BYTES) await flush();
      waiting.push(changed ? changed.batch(batch) : batch);
      bytes += batch.data.byteLength;
      rows += batch.numRows;
    }
    await flush();
    return rows;
  } catch (error) {
    if (created) await dropTable(connection, table.name);
    if (isAnnarrowError(error) || isCancellation(error)) throw locateError(error, { element: table.name });
    throw new UnsupportedError(`DuckDB does not take it: ${duckdbMessage(error)}`, { element: table.name });
  }
}

async function dropTable(connection: DuckDBConnection, name: string): Promise<void> {
  try {
    await connection.query(`drop table if exists ${quotedName(name)}`);
  } catch {
    // The error that made the table incomplete is the one to report.
  }
}
