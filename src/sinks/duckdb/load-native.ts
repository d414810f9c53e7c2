/** Stands where there is no native DuckDB: in pages. */

import { UnsupportedError } from "../../model/errors.js";
import type { NativeLoader } from "./load-native.node.js";

/** @throws {UnsupportedError} always. */
export function nativeLoader(_connection: unknown): NativeLoader {
  throw new UnsupportedError("native DuckDB runs in Node: give a connection of @duckdb/duckdb-wasm");
}
