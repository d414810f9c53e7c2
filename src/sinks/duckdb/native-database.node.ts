/** Native DuckDB in this process, as one of the engines: `@duckdb/node-api`, which computes in threads of its own. */

import { Field, type RecordBatch, Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../../model/errors.js";
import { recordBatch } from "../../tables/record-batch.js";
import { type DuckDBEngine, duckdbMessage, UNSOUND_OPTIMIZERS } from "./engine.js";
import { checkForDuckDB } from "./held-types.js";
import { loadChunks } from "./load-chunks.node.js";
import { holdsExactly, loadParquet } from "./load-parquet.node.js";
import { type NativeConnection, nativePackages } from "./node-api.node.js";
import { vectorReader } from "./read-vectors.node.js";
import { resultTable } from "./result-table.js";

export interface NativeDuckDBOptions {
  /** The path of a new database file, whose tables are all in it; in memory by default. */
  readonly path?: string;
  /** A folder for temporary files, which exists and is the caller's to remove. */
  readonly folder: string;
  /** Bytes that DuckDB may hold in memory; what exceeds them goes into the folder. */
  readonly memory: number;
  /** Most bytes of temporary files; as many as the disk has room for by default. */
  readonly tempSize?: number;
  /** As many as there are cores by default. */
  readonly threads?: number;
}

/** Rows from which a flat table comes as a Parquet file; fewer are in DuckDB before a file is written. */
const PARQUET_ROWS = 2 ** 20;

/**
 * Opens an empty database.
 * @throws {MissingDependencyError} where `@duckdb/node-api` is not installed.
 */
export async function openNativeDuckDB(options: NativeDuckDBOptions): Promise<DuckDBEngine> {
  const packages = nativePackages();
  const { path = ":memory:", folder, memory, tempSize, threads } = options;
  const instance = await packages.api.DuckDBInstance.create(path, {
    memory_limit: `${memory}B`,
    temp_directory: folder,
    ...(tempSize === undefined ? {} : { max_temp_directory_size: `${tempSize}B` }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
    // DuckDB would fetch missing extensions from the network.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  await connection.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}'`);
  const files = { path: folder, most: tempSize ?? Number.POSITIVE_INFINITY, used: 0 };

  async function query(sql: string, signal?: AbortSignal): Promise<DataTable> {
    const result = await interruptible(connection, signal, () => connection.stream(sql));
    const names = result.columnNames();
    const readers = result.columnTypes().map((type, i) => vectorReader(packages, type, names[i]));
    const schema = new Schema(readers.map((reader, i) => new Field(names[i], reader.type)));
    return resultTable(schema, batches());

    async function* batches(): AsyncGenerator<RecordBatch> {
      for (;;) {
        const chunk = await interruptible(connection, signal, () => result.fetchChunk());
        const size = chunk?.rowCount ?? 0;
        if (chunk === null || size === 0) return;
        const columns = readers.map((reader, i) =>
          reader.read(packages.bindings.data_chunk_get_vector(chunk.chunk, i), { size, picked: null }),
        );
        yield recordBatch(schema, size, columns);
      }
    }
  }

  return {
    kind: "native",
    query,
    async load(table, how = {}) {
      checkForDuckDB(table.schema, table.name);
      const isLarge = (table.rows ?? 0) >= PARQUET_ROWS;
      return isLarge && holdsExactly(table.schema)
        ? loadParquet(options.path === undefined ? "view" : "table", connection, table, files, how)
        : loadChunks(packages, connection, table, how);
    },
    async explain(sql, signal) {
      const plan = (await (await query(`explain (format json) ${sql}`, signal)).read()).getChild("explain_value");
      return JSON.parse(String(plan?.get(0)));
    },
    async run(sql, signal) {
      await interruptible(connection, signal, () => connection.run(sql));
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/**
 * Runs `action`, which the signal interrupts.
 * @throws {InvalidInputError} with DuckDB's message, or the signal's reason.
 */
async function interruptible<T>(
  connection: NativeConnection,
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
    throw new InvalidInputError(duckdbMessage(error).replace(/^Failed to [a-z ]+: /, ""));
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}
