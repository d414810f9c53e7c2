/**
 * Functions that a query must not call, because they change state that later statements or the process rely on.
 * DuckDB's locked configuration keeps statements away from settings and files, but still allows these functions.
 */

import { InvalidInputError } from "../model/errors.js";
import { fold, isName, parseSqlTokens, symbol } from "./tokens.js";

/** What the functions do, worded as the end of an error message. */
const LOGS = "changes what DuckDB logs";
const PROFILES = "changes how DuckDB measures statements";
const WRITES = "writes DuckDB's files";
const PARSES = "changes how DuckDB parses statements";
const ADDRESSES = "reads from an address in memory";
const RUNS = "runs a text as a statement, which is given itself instead";

/**
 * What each function does, keyed by name. A test compares the names with `duckdb_functions()` in every supported
 * version.
 */
export const STATE_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["enable_logging", LOGS],
  ["disable_logging", LOGS],
  ["truncate_duckdb_logs", LOGS],
  ["write_log", LOGS],
  ["enable_profiling", PROFILES],
  ["disable_profiling", PROFILES],
  ["checkpoint", WRITES],
  ["force_checkpoint", WRITES],
  ["enable_peg_parser", PARSES],
  ["disable_peg_parser", PARSES],
  ["arrow_scan", ADDRESSES],
  ["arrow_scan_dumb", ADDRESSES],
  ["query", RUNS],
  ["json_execute_serialized_sql", RUNS],
]);

/** @throws {InvalidInputError} if a statement calls a function that changes state. */
export function refuseStateFunctions(sql: string): void {
  const tokens = parseSqlTokens(sql);
  for (const [i, token] of tokens.entries()) {
    if (!isName(token) || symbol(tokens[i + 1]) !== "(") continue;
    const what = STATE_FUNCTIONS.get(fold(token.text));
    if (what !== undefined) throw new InvalidInputError(`${token.text}() is refused in a query: it ${what}`);
  }
}
