/** Native DuckDB in this process, as an engine. Its computations run in DuckDB's own threads. */

import { Field, type RecordBatch, Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../../model/errors.js";
import { recordBatch } from "../../tables/record-batch.js";
import { CELL_BYTES, computeBoundedRanges } from "./answer-limit.js";
import { type DuckDBEngine, getDuckDBMessage, RAISE_LIMITS, readPlan, SETTINGS } from "./engine.js";
import { loadNativeBindings, type OwnedConnection, openConnection } from "./native-connection.node.js";
import { createNativeTables, type NativeTablesOptions } from "./native-tables.node.js";
import { createVectorReader } from "./read-vectors.node.js";
import { createResultTable } from "./result-table.js";

export interface NativeDuckDBOptions extends NativeTablesOptions {
  /** Bytes that DuckDB may hold in memory. Any further data go into the folder. */
  readonly memory: number;
  /** Number of threads; by default the number of CPU cores. */
  readonly threads?: number;
  /** Maximum bytes of a value, a row and a batch of an answer; 64 MiB by default. */
  readonly maxCell?: number;
}

/**
 * Storage version of DuckDB files, independent of the DuckDB version that writes them. All 1.x and 2.x versions can
 * read it, and the tables need no later one.
 */
const STORAGE_VERSION = "v1.0.0";

/**
 * Opens an empty database.
 * @throws {MissingDependencyError} if `@duckdb/node-api` is not installed.
 */
export async function openNativeDuckDB(options: NativeDuckDBOptions): Promise<DuckDBEngine> {
  const bindings = loadNativeBindings();
  const { path = ":memory:", folder, memory, tempSize, threads, maxCell = CELL_BYTES } = options;
  const limit = { bytes: maxCell, advice: RAISE_LIMITS.cell };
  const connection = await openConnection(bindings, path, {
    memory_limit: `${memory}B`,
    temp_directory: folder,
    storage_compatibility_version: STORAGE_VERSION,
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  await connection.run(SETTINGS.join("; "));
  // If this limit is set together with those above, DuckDB 1.5 reports it but does not apply it.
  if (tempSize !== undefined) await connection.run(`set max_temp_directory_size = '${tempSize}B'`);

  async function query(sql: string, signal?: AbortSignal): Promise<DataTable> {
    const result = await interruptible(connection, signal, () => connection.stream(sql));
    const names = Array.from({ length: bindings.column_count(result) }, (_, i) => bindings.column_name(result, i));
    const readers = names.map((name, i) => createVectorReader(bindings, bindings.column_logical_type(result, i), name));
    const schema = new Schema(readers.map((reader, i) => new Field(names[i], reader.type, true)));
    return createResultTable(schema, batches());

    async function* batches(): AsyncGenerator<RecordBatch> {
      for (;;) {
        const chunk = await interruptible(connection, signal, () => bindings.fetch_chunk(result));
        const size = chunk === null ? 0 : bindings.data_chunk_get_size(chunk);
        if (chunk === null || size === 0) return;
        const vectors = names.map((_, i) => bindings.data_chunk_get_vector(chunk, i));
        const sizes = readers.map((reader, i) => reader.sizes(vectors[i], size));
        for (const [start, end] of computeBoundedRanges(size, names, sizes, limit)) {
          const isWhole = end - start === size;
          const picked = isWhole ? null : Int32Array.from({ length: end - start }, (_, i) => start + i);
          const columns = readers.map((reader, i) => reader.read(vectors[i], { size, picked }));
          yield recordBatch(schema, end - start, columns);
        }
      }
    }
  }

  return {
    kind: "native",
    ...createNativeTables(bindings, connection, options),
    query,
    explain: (sql, signal) => readPlan(query, sql, signal),
    async run(sql, signal) {
      await interruptible(connection, signal, () => connection.run(sql));
    },
    async close() {
      connection.close();
    },
  };
}

/**
 * Runs `action`, which the signal can interrupt.
 * @throws {InvalidInputError} if the action fails, with DuckDB's message. If it is interrupted, the signal's reason is
 * thrown.
 */
async function interruptible<T>(
  connection: OwnedConnection,
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  const interrupt = () => connection.interrupt();
  signal?.throwIfAborted();
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    return await action();
  } catch (error) {
    signal?.throwIfAborted();
    if (isAnnarrowError(error)) throw error;
    const message = getDuckDBMessage(error).replace(/^Failed to [a-z ]+: /, "");
    const isFull = message.includes("failed to offload data block");
    throw new InvalidInputError(isFull ? `${message} Raise the option tempSize (--temp-size).` : message);
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}
