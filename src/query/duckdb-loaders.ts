/** Replacement for web pages, which have neither temporary files nor native DuckDB. */

import { UnsupportedError } from "../model/errors.js";
import type { TableLoader } from "../sinks/duckdb/load-table.js";

/** @throws {UnsupportedError} always. */
export function createNativeLoader(_connection: unknown): TableLoader {
  throw new UnsupportedError("native DuckDB runs in Node: give a connection of @duckdb/duckdb-wasm");
}

/** @throws {UnsupportedError} always. */
export async function createSpillingLoader(_connection: unknown, _limits: unknown): Promise<TableLoader> {
  throw new UnsupportedError(
    'pages have no temporary files: leave out "memory", and open DuckDB on a file (path: "opfs://…") for tables that exceed its memory',
  );
}
