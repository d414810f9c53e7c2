/**
 * Loads tables into DuckDB-WASM, as IPC bytes and never as Arrow objects: DuckDB-WASM has its own copy of apache-arrow.
 */

import { DataType, Int64, type RecordBatch, type Schema, TimeUnit } from "apache-arrow";
import { streamBytes } from "../../ipc/write/apache-writer.js";
import { repeatedName } from "../../kernels/text/names.js";
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
import { emptyListAsList, halfAsSingle, retyped, type Substitute, substitution } from "../substitute.js";
import { quotedName } from "./engine.js";

/** The methods needed of a connection of `@duckdb/duckdb-wasm`, the asynchronous one or the blocking one. */
export interface DuckDBConnection {
  insertArrowFromIPCStream(buffer: Uint8Array, options: { name: string; create?: boolean; schema?: string }): unknown;
  query(sql: string): unknown;
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
 * a column of nulls as INTEGER. A table that fails half-way is dropped again.
 * @throws {UnsupportedError} where a named table has types that DuckDB cannot hold.
 */
export async function loadIntoDuckDB(
  dataset: TableSet,
  connection: DuckDBConnection,
  options: DuckDBOptions = {},
): Promise<DuckDBResult> {
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
    loaded.push({ name, rows: await loadTable(table, connection, options) });
  }
  return { tables: loaded, warnings };
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
  await Promise.resolve(connection.query(`drop table if exists ${quotedName(name)}`)).catch(() => undefined);
}

/** DuckDB's own message. Some of its errors are JSON, and carry the engine's source text if they are printed whole. */
export function duckdbMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "exception_message" in parsed) {
      return firstLine(String(parsed.exception_message));
    }
  } catch {
    // plain text
  }
  return firstLine(text);
}

const firstLine = (text: string) => (text.split("\n").find((line) => line.trim() !== "") ?? text).slice(0, 500);

/**
 * Half precision becomes Float32 (every value is exact in it), lists of the fixed size 0 become lists, and
 * nanosecond durations become Int64 nanoseconds, which DuckDB's intervals would cut to microseconds.
 */
export function duckdbRule(type: DataType): Substitute | null {
  if (DataType.isDuration(type) && type.unit === TimeUnit.NANOSECOND) return retyped(new Int64());
  return halfAsSingle(type) ?? emptyListAsList(type);
}

/**
 * Checks that DuckDB can hold a table.
 * @throws {UnsupportedError} for unions, structs without fields or with two fields of one name, tables without columns.
 * @throws {InvalidInputError} where two columns have one name, or names that differ only in case.
 */
export function checkForDuckDB(schema: Schema, element: string): void {
  if (schema.fields.length === 0) throw new UnsupportedError("has no columns, which DuckDB cannot hold", { element });
  const seen = new Map<string, string>();
  for (const { name, type } of schema.fields) {
    const problem = unsupported(type);
    if (problem !== null) {
      throw new UnsupportedError(`column "${name}" holds ${problem}, which DuckDB cannot; leave it out`, { element });
    }
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      const what =
        other === name
          ? `two columns have the name "${name}", which a table of DuckDB has once; leave them out, by naming columns`
          : `DuckDB cannot tell the columns "${other}" and "${name}" apart; load one of them, by naming columns`;
      throw new InvalidInputError(what, { element });
    }
    seen.set(name.toLowerCase(), name);
  }
}

function unsupported(type: DataType): string | null {
  if (DataType.isUnion(type)) return "a union";
  if (DataType.isStruct(type) && type.children.length === 0) return "structs without fields";
  if (DataType.isStruct(type) && repeatedName(type.children.map(({ name }) => name)) !== null) {
    return "structs with two fields of one name";
  }
  const inner = DataType.isDictionary(type) ? [type.dictionary] : (type.children ?? []).map((child) => child.type);
  return inner.map(unsupported).find((problem) => problem !== null) ?? null;
}
