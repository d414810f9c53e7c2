/** Converts a dataset to a DuckDB database file. */

import { checkTableOptions } from "../formats/formats.js";
import type { ForeignFile } from "../io/targets/foreign-file.node.js";
import type { TableSet } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { toDataTable } from "../tables/given/table-forms.js";
import {
  type AnyConvertOptions,
  type AnyTable,
  type ConvertResult,
  refuseSafeText,
  selectOutputTables,
  type UnreadFrames,
} from "./convert.js";

/** DuckDB's memory limit in bytes for writing. */
const MEMORY = 2 ** 29;

/**
 * Writes the selected tables of `dataset` to a database file, completely or not at all.
 * @throws {MissingDependencyError} if native DuckDB is not installed.
 * @throws {UnsupportedError} if DuckDB cannot store a table, unless `lossy` is set.
 */
export async function convertToDatabase(
  dataset: TableSet<AnyTable>,
  file: ForeignFile,
  options: AnyConvertOptions,
  unread: UnreadFrames,
): Promise<ConvertResult> {
  try {
    checkTableOptions(options);
    refuseSafeText(options);
    if (options.compression !== undefined) {
      throw new InvalidInputError("DuckDB chooses the compression of its files: leave out compression (--compression)");
    }
    const warnings = [...file.warnings, ...dataset.warnings];
    const tables = await selectOutputTables(dataset, { ...options, positions: false }, warnings, unread);
    const arrow = await Promise.all(tables.map(toDataTable));
    const { signal, onProgress, lossy } = options;
    const { writeDatabase } = await import("../sinks/duckdb/write-database.node.js");
    const result = await writeDatabase(arrow, file.path, {
      folder: file.folder,
      memory: MEMORY,
      signal,
      onProgress,
      lossy: lossy || undefined,
    });
    await file.commit();
    return { tables: result.tables, warnings: [...warnings, ...result.warnings] };
  } catch (error) {
    await file.abort();
    throw error;
  }
}
