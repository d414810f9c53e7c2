/** DuckDB-WASM in its own worker, as in web pages. */

import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { CELL_BYTES } from "./answer-limit.js";
import { type DuckDBEngine, getDuckDBMessage, quoteSqlName, readPlan, SETTINGS, WITHOUT_FILES } from "./engine.js";
import { createMemoryTables, type DuckDBConnection } from "./load-table.js";
import { readAnswer } from "./result-table.js";

/** The methods of `AsyncDuckDB` that are needed here. Answers are Arrow messages; null means "not yet". */
export interface AsyncDatabase {
  startPendingQuery(connection: number, sql: string, allowStreamResult?: boolean): Promise<Uint8Array | null>;
  pollPendingQuery(connection: number): Promise<Uint8Array | null>;
  cancelPendingQuery(connection: number): Promise<boolean>;
  fetchQueryResults(connection: number): Promise<Uint8Array | null>;
}

/** The methods of `AsyncDuckDBConnection` that are needed here. */
export interface AsyncConnection extends DuckDBConnection {
  useUnsafe<R>(callback: (database: AsyncDatabase, connection: number) => R): R;
}

const LIMIT = { bytes: CELL_BYTES, advice: "take less of it, as with left(x, 1000)" };

/**
 * Creates an engine from a connection to an empty database. The database can then no longer access files or load
 * extensions.
 * @param end closes the database and its worker.
 */
export async function asyncDuckDB(connection: AsyncConnection, end: () => Promise<void>): Promise<DuckDBEngine> {
  const [database, id] = connection.useUnsafe((...both) => both);

  async function* messages(sql: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    let isWhole = false;
    try {
      signal?.throwIfAborted();
      let header = await database.startPendingQuery(id, sql, true);
      while (header === null) {
        signal?.throwIfAborted();
        header = await database.pollPendingQuery(id);
      }
      yield header;
      for (;;) {
        signal?.throwIfAborted();
        const chunk = await database.fetchQueryResults(id);
        // A chunk in the middle of a result may be null instead of empty.
        if (chunk === null) continue;
        if (chunk.length === 0) break;
        yield chunk;
      }
      isWhole = true;
    } catch (error) {
      if (signal?.aborted) throw error;
      isWhole = true;
      throw new InvalidInputError(getDuckDBMessage(error), { cause: error });
    } finally {
      if (!isWhole) await database.cancelPendingQuery(id).catch(() => false);
    }
  }

  async function query(sql: string, signal?: AbortSignal): Promise<DataTable> {
    return readAnswer(messages(sql, signal), LIMIT);
  }

  async function run(sql: string, signal?: AbortSignal): Promise<void> {
    for await (const _ of messages(sql, signal)) signal?.throwIfAborted();
  }

  for (const setting of [...SETTINGS, WITHOUT_FILES]) await run(setting);

  return {
    kind: "wasm",
    outlivesCancel: true,
    ...createMemoryTables(connection),
    drop: (name) => run(`drop table if exists ${quoteSqlName(name)}`),
    query,
    run,
    explain: (sql, signal) => readPlan(query, sql, signal),
    close: end,
    abandon: end,
  };
}
