/**
 * Loads a table into DuckDB-WASM as IPC bytes. Arrow objects cannot be used, because DuckDB-WASM has its own copy of
 * apache-arrow.
 */

import type { RecordBatch, Schema } from "apache-arrow";
import { streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import type { SinkOptions } from "../stream.js";
import { quoteSqlName } from "./engine.js";
import { type FilledTable, fillTable } from "./fill-table.js";

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
 * Creates a table with the rows of `table`, as `fillTable` does.
 * @param schema the schema of the new table; by default that of the connection.
 */
export async function loadTable(
  table: DataTable,
  connection: DuckDBConnection,
  options: SinkOptions,
  schema: string | null = null,
): Promise<number> {
  return fillTable(table, options, async (types) => new StreamedTable(connection, types, table.name, schema));
}

/** A table whose batches are inserted as streams. */
class StreamedTable implements FilledTable {
  readonly #connection: DuckDBConnection;
  readonly #types: Schema;
  readonly #name: string;
  readonly #schema: string | null;
  #isCreated = false;
  #waiting: RecordBatch[] = [];
  #bytes = 0;

  constructor(connection: DuckDBConnection, types: Schema, name: string, schema: string | null) {
    this.#connection = connection;
    this.#types = types;
    this.#name = name;
    this.#schema = schema;
  }

  async append(batch: RecordBatch): Promise<void> {
    const { byteLength } = batch.data;
    if (this.#bytes > 0 && this.#bytes + byteLength > STREAM_BYTES) await this.#insert();
    this.#waiting.push(batch);
    this.#bytes += byteLength;
  }

  end(): Promise<void> {
    return this.#insert();
  }

  async #insert(): Promise<void> {
    const stream = streamBytes(this.#types, this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    const [name, schema] = [this.#name, this.#schema ?? undefined];
    await this.#connection.insertArrowFromIPCStream(stream, { name, create: !this.#isCreated, schema });
    this.#isCreated = true;
    // A blocking engine never yields to the event loop, so a signal could not arrive otherwise.
    await new Promise((resolve) => setTimeout(resolve));
  }

  async drop(): Promise<void> {
    if (!this.#isCreated) return;
    const place = [...(this.#schema === null ? [] : [this.#schema]), this.#name].map(quoteSqlName).join(".");
    try {
      await this.#connection.query(`drop table if exists ${place}`);
    } catch {
      // The error that made the table incomplete is the one to report.
    }
  }
}
