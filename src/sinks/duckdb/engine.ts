/** The interface through which the library uses every build of DuckDB. */

import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { SinkOptions } from "../stream.js";

/** Location of a table that is cached for later databases. */
export interface CachedTableLocation {
  path(extension: string): string;
  has(extension: string): boolean;
  /** Calls `write` if the file does not exist. The file gets its final name only when it is complete. */
  ensure(extension: string, write: (path: string) => Promise<void>): Promise<void>;
}

/** Loads tables into a database's memory, or into files if the tables exceed that memory. */
export interface DuckDBTables {
  /**
   * Creates a table with the name, the columns and the rows of `table`.
   * @returns the number of rows.
   * @throws {UnsupportedError} if DuckDB cannot hold the table's types.
   */
  load(table: DataTable, options?: SinkOptions): Promise<number>;
  /** Whether the location contains a file of this engine. */
  isKept(place: CachedTableLocation): boolean;
  /** Creates a view of a flat table's rows in the cached file. The file is written if it does not exist. */
  loadKept(table: DataTable, place: CachedTableLocation, options?: SinkOptions): Promise<void>;
  /** Removes the table or view that `load` or `loadKept` created, if it exists. */
  drop(name: string): Promise<void>;
}

export interface DuckDBEngine extends DuckDBTables {
  readonly kind: "wasm" | "native";
  /** Whether a cancelled statement has ended when its promise settles; otherwise the engine must be closed. */
  readonly outlivesCancel?: boolean;
  /** Whether the engine has failed internally and accepts no further statements. It can still be closed. */
  readonly hasFailed?: boolean;
  /**
   * Runs a statement. The resulting rows are a table that can be read once, batch by batch.
   * @throws {InvalidInputError} if the statement fails, with DuckDB's message.
   */
  query(sql: string, signal?: AbortSignal): Promise<DataTable>;
  /**
   * Plans one statement without running it.
   * @returns the plan in the form of `explain (format json)`, parsed but not validated.
   * @throws {InvalidInputError} if the statement cannot be planned, with DuckDB's message.
   */
  explain(sql: string, signal?: AbortSignal): Promise<unknown>;
  /**
   * Runs a statement and discards its result.
   * @throws {InvalidInputError} if the statement fails, with DuckDB's message.
   */
  run(sql: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** Frees the temporary files of an engine that cannot be closed because it is running a statement. */
  abandon?(): Promise<void>;
}

/**
 * Optimizers that every engine disables because they produce wrong results. DuckDB 1.4 and 1.5 push a join's filter
 * below the limit on the join's other side (https://github.com/duckdb/duckdb/issues/22924).
 */
export const UNSOUND_OPTIMIZERS = "join_filter_pushdown";

/** Settings of every database. Without the first two, DuckDB would download missing extensions. */
export const SETTINGS: readonly string[] = [
  "set autoinstall_known_extensions = false",
  "set autoload_known_extensions = false",
  `set disabled_optimizers = '${UNSOUND_OPTIMIZERS}'`,
];

/** Implements an engine's `explain` with its `query`. */
export async function readPlan(query: DuckDBEngine["query"], sql: string, signal?: AbortSignal): Promise<unknown> {
  const plan = (await (await query(`explain (format json) ${sql}`, signal)).read()).getChild("explain_value");
  return JSON.parse(String(plan?.get(0)));
}

/** Statement that blocks access to files and the network for later statements. */
export const WITHOUT_FILES = "set enable_external_access = false";

/** Returns a statement that restricts file access to the given folders, which contain large tables. */
export function createFileAccessSql(folders: readonly string[]): string {
  return `set allowed_directories = [${folders.map(quoteSqlText).join(", ")}]; ${WITHOUT_FILES}`;
}

/** Advice for each exceeded limit, as the end of a message. */
export interface LimitAdvice {
  readonly memory: string;
  readonly tempSize: string;
  /** Advice for a value or a row that is too large. */
  readonly cell: string;
}

/** Advice for users who choose the engine and its limits themselves. */
export const RAISE_LIMITS: LimitAdvice = {
  // DuckDB-WASM has no temporary files for its own work. The memory that it has used is only freed with the next
  // database.
  memory:
    "raise the option memory (--memory), or take native DuckDB (--engine native), which works with temporary files",
  tempSize: "raise the option tempSize (--temp-size)",
  cell: "take less of it, as with left(x, 1000), or raise --max-cell",
};

export function createTempSizeError(most: number, advice = RAISE_LIMITS): InvalidInputError {
  return new InvalidInputError(`its temporary files need more than ${most} bytes: ${advice.tempSize}`);
}

/** Quotes a name for a statement. */
export function quoteSqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for a statement. */
export function quoteSqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns DuckDB's message. Some DuckDB errors are JSON that includes the engine's source text. */
export function getDuckDBMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "exception_message" in parsed) {
      return firstLine(String(parsed.exception_message));
    }
  } catch {
    // The message is text, not JSON.
  }
  return firstLine(text);
}

const firstLine = (text: string) => (text.split("\n").find((line) => line.trim() !== "") ?? text).slice(0, 500);
