/** What the library asks of a DuckDB, whichever build of it runs. */

import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import type { SinkOptions } from "../stream.js";

/** Where a table is kept for later databases. */
export interface KeptPlace {
  /** The path of the file with this extension. */
  path(extension: string): string;
  has(extension: string): boolean;
  /** Where the file is not there, lets `write` write it; it gets its name once it is whole. */
  ensure(extension: string, write: (path: string) => Promise<void>): Promise<void>;
}

export interface DuckDBEngine {
  readonly kind: "wasm" | "native";
  /** Whether a cancelled statement has ended once its promise has; else the engine has to be closed. */
  readonly outlivesCancel?: boolean;
  /** Whether the engine has failed within itself, and takes no further statement; it can still be closed. */
  readonly hasFailed?: boolean;
  /**
   * Creates a table with the name, the columns and the rows of `table`.
   * @returns the number of rows.
   * @throws {UnsupportedError} where DuckDB cannot hold the table's types.
   */
  load(table: DataTable, options?: SinkOptions): Promise<number>;
  /** Whether the place has a file of this engine. */
  isKept(place: KeptPlace): boolean;
  /** Creates a view of the rows of a flat table in the file of a place, which is written where it is not there. */
  loadKept(table: DataTable, place: KeptPlace, options?: SinkOptions): Promise<void>;
  /** Removes what `load` or `loadKept` made under the name, where there is such a table. */
  drop(name: string): Promise<void>;
  /**
   * Runs a statement. Its rows are a table that can be read once, batch by batch.
   * @throws {InvalidInputError} with DuckDB's message.
   */
  query(sql: string, signal?: AbortSignal): Promise<DataTable>;
  /**
   * Plans one statement, without running it.
   * @returns the plan as DuckDB describes it by `explain (format json)`, parsed and not yet checked.
   * @throws {InvalidInputError} with DuckDB's message.
   */
  explain(sql: string, signal?: AbortSignal): Promise<unknown>;
  /**
   * Runs a statement whose answer nobody needs.
   * @throws {InvalidInputError} with DuckDB's message.
   */
  run(sql: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** Frees the temporary files of an engine that cannot be closed, as it is in the middle of a statement. */
  abandon?(): Promise<void>;
}

/**
 * Optimizers that are off in every engine, as they give wrong answers: DuckDB 1.4 and 1.5 filter a join's other side
 * below its limit (https://github.com/duckdb/duckdb/issues/22924).
 */
export const UNSOUND_OPTIMIZERS = "join_filter_pushdown";

/** The statement after which no statement reaches files or the network. */
export const WITHOUT_FILES = "set enable_external_access = false";

/** The statement after which statements reach only the files of the folders, in which large tables are. */
export function withoutFilesBut(folders: readonly string[]): string {
  return `set allowed_directories = [${folders.map(textLiteral).join(", ")}]; ${WITHOUT_FILES}`;
}

/** What to do where a limit is exceeded, as the end of a message. */
export interface LimitAdvice {
  readonly memory: string;
  readonly tempSize: string;
  /** About a value or a row that is too large. */
  readonly cell: string;
}

/** The advice to who chooses the engine and its limits. */
export const RAISE_LIMITS: LimitAdvice = {
  // DuckDB-WASM has no temporary files for its own work: where it has used some, it ends with the next database.
  memory:
    "raise the option memory (--memory), or take native DuckDB (--engine native), which works with temporary files",
  tempSize: "raise the option tempSize (--temp-size)",
  cell: "take less of it, as with left(x, 1000), or raise --max-cell",
};

/** The error about temporary files that exceed their bound. */
export function exceedsTempSize(most: number, advice = RAISE_LIMITS): InvalidInputError {
  return new InvalidInputError(`its temporary files need more than ${most} bytes: ${advice.tempSize}`);
}

/** A name as it stands in a statement. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as it stands in a statement. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** How DuckDB's errors of the file system and of its memory begin; they are no errors of a table. */
const OUTSIDE = /^(?:IO|Out of Memory|FATAL|INTERNAL|Permission) Error/i;

/**
 * The error of a table that DuckDB did not take.
 * @returns {UnsupportedError}, or where a disk is full or memory ends {InvalidInputError}.
 */
export function loadError(error: unknown, element: string): Error {
  const message = duckdbMessage(error);
  if (!OUTSIDE.test(message)) return new UnsupportedError(`DuckDB does not take it: ${message}`, { element });
  return new InvalidInputError(`cannot be written: ${message}`, { element, cause: error, code: "outside" });
}

/** DuckDB's own message. Some of its errors are JSON, and carry the engine's source text if they are printed whole. */
export function duckdbMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "exception_message" in parsed) {
      return firstLine(String(parsed.exception_message));
    }
  } catch {
    // plain text
  }
  return firstLine(text);
}

const firstLine = (text: string) => (text.split("\n").find((line) => line.trim() !== "") ?? text).slice(0, 500);
