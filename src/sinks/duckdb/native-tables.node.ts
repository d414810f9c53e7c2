/**
 * The tables of native DuckDB. Large flat tables become temporary Parquet files, which all workers encode and all of
 * DuckDB's threads read, without holding the rows in memory. Other tables are loaded chunk by chunk.
 */

import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataType, type Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { locateError } from "../../model/errors.js";
import { runFileOperation } from "../../model/system-error.node.js";
import { findUnderlyingTable } from "../../tables/given/table-forms.js";
import { encodeTable } from "../directory/encode.js";
import type { SinkOptions } from "../stream.js";
import { createTempSizeError, type DuckDBTables, quoteSqlName, quoteSqlText } from "./engine.js";
import { loadChunks } from "./load-chunks.node.js";
import type { Bindings, NativeConnection } from "./native-connection.node.js";

/** File extension of cached tables. */
const KEPT = "parquet";

/**
 * Minimum number of rows for which a flat table is loaded through a Parquet file. Fewer rows are faster to load
 * directly.
 */
const PARQUET_ROWS = 2 ** 20;

export interface NativeTablesOptions {
  /** The path of a new database file that will contain all tables; by default the database is in memory. */
  readonly path?: string;
  /** An existing folder for temporary files, which the caller must remove. */
  readonly folder: string;
  /** Maximum bytes of temporary files; by default limited by the free disk space. */
  readonly tempSize?: number;
}

/** The tables of an empty database. */
export function createNativeTables(
  bindings: Bindings,
  connection: NativeConnection,
  { path: database, folder, tempSize }: NativeTablesOptions,
): DuckDBTables {
  const files: ParquetFolder = { path: folder, most: tempSize ?? Number.POSITIVE_INFINITY, used: 0, made: 0 };
  /** Files behind views, by lower-case view name; null for persistent files. */
  const views = new Map<string, LoadedParquet | null>();
  return {
    async load(table, options = {}) {
      const isLarge = (table.rows ?? 0) >= PARQUET_ROWS;
      if (!isLarge || !holdsExactly(table.schema)) return loadChunks(bindings, connection, table, options);
      const isView = database === undefined;
      const file = await loadParquet(isView ? "view" : "table", connection, table, files, options);
      if (isView) views.set(table.name.toLowerCase(), file);
      return file.rows;
    },
    isKept: (place) => place.has(KEPT),
    async loadKept(table, place, options = {}) {
      const unlimited = { most: Number.POSITIVE_INFINITY, used: 0 };
      await place.ensure(KEPT, async (file) => {
        await writeParquet(file, table, unlimited, options);
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
  };
}

/** Whether DuckDB gets the same result for every column of the schema from Parquet as from memory. */
function holdsExactly(schema: Schema): boolean {
  // Parquet cannot store tables without columns, and `loadChunks` rejects them.
  if (schema.fields.length === 0) return false;
  return schema.fields.every(
    ({ type }) => isExact(type) || (DataType.isDictionary(type) && !type.isOrdered && DataType.isUtf8(type.dictionary)),
  );
}

const isExact = (type: DataType) =>
  DataType.isInt(type) || DataType.isFloat(type) || DataType.isBool(type) || DataType.isUtf8(type);

/** Folder for temporary files, and the limit on their size. */
interface ParquetFolder {
  readonly path: string;
  /** Maximum bytes of files. */
  readonly most: number;
  /** Bytes of existing files. */
  used: number;
  /** Number of files created so far, which is used to name the next file. */
  made: number;
}

interface LoadedParquet {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Creates a table (`create table`) or a view (`create view`) with the rows of `table` from a Parquet file in the
 * folder.
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
