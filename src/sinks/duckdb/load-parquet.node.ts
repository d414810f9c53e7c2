/**
 * Brings large flat tables to native DuckDB as temporary Parquet files: all workers encode them, and all of DuckDB's
 * threads read them, without the rows in memory.
 */

import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataType, type Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { locateError } from "../../model/errors.js";
import { onDisk } from "../../model/system-error.node.js";
import { storedTableOf } from "../../tables/given/table-forms.js";
import { encodeTable } from "../directory/encode.js";
import type { SinkOptions } from "../stream.js";
import { exceedsTempSize, quotedName, textLiteral } from "./engine.js";
import type { NativeConnection } from "./native-connection.node.js";

/** Whether DuckDB reads each column of the schema from Parquet as it takes it from memory. */
export function holdsExactly(schema: Schema): boolean {
  return schema.fields.every(
    ({ type }) => isExact(type) || (DataType.isDictionary(type) && !type.isOrdered && DataType.isUtf8(type.dictionary)),
  );
}

const isExact = (type: DataType) =>
  DataType.isInt(type) || DataType.isFloat(type) || DataType.isBool(type) || DataType.isUtf8(type);

/** Folder and room for temporary files. */
export interface ParquetFolder {
  readonly path: string;
  /** Bytes that may be written. */
  readonly most: number;
  /** Bytes that files take. */
  used: number;
  /** The number of files that were begun, which names the next one. */
  made: number;
}

/** A temporary file with the rows of a table. */
export interface LoadedParquet {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Makes a table (`create table`) or a view (`create view`) of the rows of `table`, from a file in the folder.
 * @throws {InvalidInputError} where the file exceeds its room.
 */
export async function loadParquet(
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
    await connection.run(`create ${create} ${quotedName(table.name)} as ${rowsOfParquet(path)}`);
    return { path, rows, bytes: folder.used - before };
  } catch (error) {
    await rm(path, { force: true });
    folder.used = before;
    throw locateError(error, { element: table.name });
  }
}

/** The rows of a Parquet file, in SQL. */
export function rowsOfParquet(path: string): string {
  return `select * from read_parquet(${textLiteral(path)})`;
}

/**
 * Writes a new file.
 * @returns the number of rows.
 */
export async function writeParquet(
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
  const stored = (await storedTableOf(table)) ?? table;
  const file = await onDisk(path, () => open(path, "wx", 0o600));
  try {
    for await (const bytes of encodeTable(stored, "parquet", {
      ...options,
      onProgress: counted,
      compression: "snappy",
    })) {
      folder.used += bytes.length;
      if (folder.used > folder.most) {
        throw exceedsTempSize(folder.most);
      }
      await onDisk(path, () => file.writeFile(bytes));
    }
  } finally {
    await file.close();
  }
  return rows;
}
