/**
 * Loads a table into DuckDB-WASM as IPC bytes. Arrow objects cannot be used, because DuckDB-WASM has its own copy of
 * apache-arrow.
 */

import type { RecordBatch } from "apache-arrow";
import { streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import type { SinkOptions } from "../stream.js";
import { type DuckDBTables, quoteSqlName } from "./engine.js";
import { fillTable } from "./fill-table.js";

/** The methods that are needed of a `@duckdb/duckdb-wasm` connection, whether asynchronous or blocking. */
export interface DuckDBConnection {
  insertArrowFromIPCStream(buffer: Uint8Array, options: { name: string; create?: boolean; schema?: string }): unknown;
  query(sql: string): unknown;
}

export interface TableLoader extends Pick<DuckDBTables, "load"> {
  /** Removes the tables that are stored in temporary files. */
  close(): Promise<void>;
}

/** Makes a loader without temporary files. */
export const createDirectLoader = (load: TableLoader["load"]): TableLoader => ({ load, close: async () => undefined });

/** The tables of a database that keeps all of them in memory. */
export function createMemoryTables(connection: DuckDBConnection): DuckDBTables {
  return {
    load: (table, options) => loadTable(table, connection, options),
    isKept: () => false,
    async loadKept() {
      throw new TypeError("a database without temporary files keeps no tables");
    },
    async drop(name) {
      await connection.query(`drop table if exists ${quoteSqlName(name)}`);
    },
  };
}

/** Size in bytes of each stream of batches. DuckDB holds a stream in memory twice. */
const STREAM_BYTES = 2 ** 25;

/**
 * Creates a table with the rows of `table`, as `fillTable` does.
 * @param schema the schema of the new table; by default the connection's schema.
 */
export async function loadTable(
  table: DataTable,
  connection: DuckDBConnection,
  options: SinkOptions = {},
  schema: string | null = null,
): Promise<number> {
  const { name } = table;
  return fillTable(table, options, async (types) => {
    let isCreated = false;
    let waiting: RecordBatch[] = [];
    let bytes = 0;
    const insert = async () => {
      const stream = streamBytes(types, waiting);
      waiting = [];
      bytes = 0;
      await connection.insertArrowFromIPCStream(stream, { name, create: !isCreated, schema: schema ?? undefined });
      isCreated = true;
      // A blocking engine never yields to the event loop. Without this pause, a signal could not arrive.
      await new Promise((resolve) => setTimeout(resolve));
    };
    return {
      async append(batch) {
        if (bytes > 0 && bytes + batch.data.byteLength > STREAM_BYTES) await insert();
        waiting.push(batch);
        bytes += batch.data.byteLength;
      },
      end: insert,
      async drop() {
        const place = [...(schema === null ? [] : [schema]), name].map(quoteSqlName).join(".");
        try {
          if (isCreated) await connection.query(`drop table if exists ${place}`);
        } catch {
          // The error to report is the one that made the table incomplete.
        }
      },
    };
  });
}
