/**
 * Loads a table into DuckDB-WASM as IPC bytes. Arrow objects cannot be used, because DuckDB-WASM has its own copy of
 * apache-arrow.
 */

import type { RecordBatch } from "apache-arrow";
import { streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import { isAnnarrowError, isCancellation, locateError } from "../../model/errors.js";
import { type SinkOptions, streamBatches } from "../stream.js";
import { findSubstitution } from "../substitute.js";
import { loadError, quoteSqlName } from "./engine.js";
import { findDuckDBSubstitute } from "./held-types.js";

/** The methods needed of a connection of `@duckdb/duckdb-wasm`, the asynchronous one or the blocking one. */
export interface DuckDBConnection {
  insertArrowFromIPCStream(buffer: Uint8Array, options: { name: string; create?: boolean; schema?: string }): unknown;
  query(sql: string): unknown;
}

export interface TableLoader {
  /** Creates a table with the rows of `table`, which `checkForDuckDB` has checked. */
  load(table: DataTable, options: SinkOptions): Promise<number>;
  /** Removes the tables that are in temporary files. */
  close(): Promise<void>;
}

/** Makes a loader without temporary files. */
export const createDirectLoader = (load: TableLoader["load"]): TableLoader => ({ load, close: async () => undefined });

/** Bytes of a stream of batches. DuckDB holds a stream in memory twice. */
const STREAM_BYTES = 2 ** 25;

/**
 * Creates a table in DuckDB with the columns and rows of `table`, which `checkForDuckDB` has checked.
 * @param schema the schema of the new table; by default that of the connection.
 * @returns the number of rows.
 */
export async function loadTable(
  table: DataTable,
  connection: DuckDBConnection,
  options: SinkOptions,
  schema: string | null = null,
): Promise<number> {
  const changed = findSubstitution(table.schema, findDuckDBSubstitute);
  let rows = 0;
  let created = false;
  let waiting: RecordBatch[] = [];
  let bytes = 0;
  const flush = async () => {
    const stream = streamBytes(changed?.schema ?? table.schema, waiting);
    waiting = [];
    bytes = 0;
    await connection.insertArrowFromIPCStream(stream, {
      name: table.name,
      create: !created,
      schema: schema ?? undefined,
    });
    created = true;
    // A blocking engine never yields to the event loop, so a signal could not arrive otherwise.
    await new Promise((resolve) => setTimeout(resolve));
  };
  try {
    for await (const batch of streamBatches(table, options)) {
      if (bytes > 0 && bytes + batch.data.byteLength > STREAM_BYTES) await flush();
      waiting.push(changed ? changed.batch(batch) : batch);
      bytes += batch.data.byteLength;
      rows += batch.numRows;
    }
    await flush();
    return rows;
  } catch (error) {
    if (created) await dropTable(connection, [...(schema === null ? [] : [schema]), table.name]);
    if (isAnnarrowError(error) || isCancellation(error)) throw locateError(error, { element: table.name });
    throw loadError(error, table.name);
  }
}

async function dropTable(connection: DuckDBConnection, names: readonly string[]): Promise<void> {
  try {
    await connection.query(`drop table if exists ${names.map(quoteSqlName).join(".")}`);
  } catch {
    // The error that made the table incomplete is the one to report.
  }
}
