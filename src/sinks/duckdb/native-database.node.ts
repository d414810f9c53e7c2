/** Native DuckDB in this process, as an engine. It computes in its own threads. */

import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataType, Field, type RecordBatch, Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError, locateError } from "../../model/errors.js";
import { runFileOperation } from "../../model/system-error.node.js";
import { findUnderlyingTable } from "../../tables/given/table-forms.js";
import { recordBatch } from "../../tables/record-batch.js";
import { encodeTable } from "../directory/encode.js";
import type { SinkOptions } from "../stream.js";
import { CELL_BYTES, computeBoundedRanges } from "./answer-limit.js";
import {
  createTempSizeError,
  type DuckDBEngine,
  getDuckDBMessage,
  quoteSqlName,
  quoteSqlText,
  RAISE_LIMITS,
  UNSOUND_OPTIMIZERS,
} from "./engine.js";
import { checkForDuckDB } from "./held-types.js";
import { loadChunks } from "./load-chunks.node.js";
import {
  loadNativeBindings,
  type NativeConnection,
  type OwnedConnection,
  openConnection,
} from "./native-connection.node.js";
import { createVectorReader } from "./read-vectors.node.js";
import { createResultTable } from "./result-table.js";

export interface NativeDuckDBOptions {
  /** The path of a new database file, whose tables are all in it; in memory by default. */
  readonly path?: string;
  /** An existing folder for temporary files, which the caller must remove. */
  readonly folder: string;
  /** Bytes that DuckDB may hold in memory. More data go into the folder. */
  readonly memory: number;
  /** Maximum bytes of temporary files; by default limited by the free disk space. */
  readonly tempSize?: number;
  /** Number of threads; by default the number of CPU cores. */
  readonly threads?: number;
  /** Maximum bytes of a value, a row and a batch of an answer; 64 MiB by default. */
  readonly maxCell?: number;
}

/**
 * Storage version of DuckDB files, independent of the DuckDB version that writes them. All of 1.x and 2.x can read it,
 * and the tables need no later one.
 */
const STORAGE_VERSION = "v1.0.0";

/** File extension of cached tables. */
const KEPT = "parquet";

/** Minimum rows of a flat table that is loaded through a Parquet file. Fewer rows are faster to load directly. */
const PARQUET_ROWS = 2 ** 20;

/**
 * Opens an empty database.
 * @throws {MissingDependencyError} where `@duckdb/node-api` is not installed.
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
    // Otherwise DuckDB would download missing extensions.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  await connection.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}'`);
  // If this limit is set together with those above, DuckDB 1.5 reports it but does not apply it.
  if (tempSize !== undefined) await connection.run(`set max_temp_directory_size = '${tempSize}B'`);
  const files: ParquetFolder = { path: folder, most: tempSize ?? Number.POSITIVE_INFINITY, used: 0, made: 0 };
  /** Files of views, by lower-case view name; null for persistent files. */
  const views = new Map<string, LoadedParquet | null>();

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
    query,
    async load(table, how = {}) {
      checkForDuckDB(table.schema, table.name);
      const isLarge = (table.rows ?? 0) >= PARQUET_ROWS;
      if (!isLarge || !holdsExactly(table.schema)) return loadChunks(bindings, connection, table, how);
      const isView = options.path === undefined;
      const file = await loadParquet(isView ? "view" : "table", connection, table, files, how);
      if (isView) views.set(table.name.toLowerCase(), file);
      return file.rows;
    },
    isKept: (place) => place.has(KEPT),
    async loadKept(table, place, how = {}) {
      const unlimited = { most: Number.POSITIVE_INFINITY, used: 0 };
      await place.ensure(KEPT, async (file) => {
        await writeParquet(file, table, unlimited, how);
      });
      await connection.run(`create view ${quoteSqlName(table.name)} as ${createParquetQuery(place.path(KEPT))}`);
      views.set(table.name.toLowerCase(), null);
    },
    async drop(name) {
      const file = views.get(name.toLowerCase());
      await connection.run(`drop ${file === undefined ? "table" : "view"} if exists ${quoteSqlName(name)}`);
      views.delete(name.toLowerCase());
      if (file === undefined || file === null) return;
      await rm(file.path, { force: true });
      files.used -= file.bytes;
    },
    async explain(sql, signal) {
      const plan = (await (await query(`explain (format json) ${sql}`, signal)).read()).getChild("explain_value");
      return JSON.parse(String(plan?.get(0)));
    },
    async run(sql, signal) {
      await interruptible(connection, signal, () => connection.run(sql));
    },
    async close() {
      connection.close();
    },
  };
}

/**
 * Runs `action`, which the signal interrupts.
 * @throws {InvalidInputError} with DuckDB's message, or the signal's reason.
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

// Brings large flat tables to native DuckDB as temporary Parquet files: all workers encode them, and all of DuckDB's
// threads read them, without the rows in memory.

/** Whether DuckDB reads each column of the schema from Parquet with the same result as from memory. */
function holdsExactly(schema: Schema): boolean {
  return schema.fields.every(
    ({ type }) => isExact(type) || (DataType.isDictionary(type) && !type.isOrdered && DataType.isUtf8(type.dictionary)),
  );
}

const isExact = (type: DataType) =>
  DataType.isInt(type) || DataType.isFloat(type) || DataType.isBool(type) || DataType.isUtf8(type);

/** Folder for temporary files, and its limit. */
interface ParquetFolder {
  readonly path: string;
  /** Maximum bytes of files. */
  readonly most: number;
  /** Bytes of existing files. */
  used: number;
  /** Number of files that were created, used for the name of the next file. */
  made: number;
}

interface LoadedParquet {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Creates a table (`create table`) or a view (`create view`) of the rows of `table`, from a Parquet file in the folder.
 * @throws {InvalidInputError} if the file exceeds the available space.
 */
async function loadParquet(
  create: "table" | "view",
  connection: NativeConnection,
  table: DataTable,
  folder: ParquetFolder,
  options: SinkOptions = {},
): Promise<LoadedParquet> {
  const path = join(folder.path, `${folder.made++}.parquet`);
  const before = folder.used;
  try {
    const rows = await writeParquet(path, table, folder, options);
    await connection.run(`create ${create} ${quoteSqlName(table.name)} as ${createParquetQuery(path)}`);
    return { path, rows, bytes: folder.used - before };
  } catch (error) {
    await rm(path, { force: true });
    folder.used = before;
    throw locateError(error, { element: table.name });
  }
}

/** Returns SQL for the rows of a Parquet file. */
function createParquetQuery(path: string): string {
  return `select * from read_parquet(${quoteSqlText(path)})`;
}

/**
 * Writes a new file.
 * @returns the number of rows.
 */
async function writeParquet(
  path: string,
  table: DataTable,
  folder: Pick<ParquetFolder, "most" | "used">,
  options: SinkOptions,
): Promise<number> {
  let rows = 0;
  const counted: SinkOptions["onProgress"] = (progress) => {
    rows = progress.done;
    options.onProgress?.(progress);
  };
  const stored = (await findUnderlyingTable(table)) ?? table;
  const file = await runFileOperation(path, () => open(path, "wx", 0o600));
  try {
    for await (const bytes of encodeTable(stored, "parquet", {
      ...options,
      onProgress: counted,
      compression: "snappy",
    })) {
      folder.used += bytes.length;
      if (folder.used > folder.most) {
        throw createTempSizeError(folder.most);
      }
      await runFileOperation(path, () => file.writeFile(bytes));
    }
  } finally {
    await file.close();
  }
  return rows;
}
