/** Loads tables through connections of native DuckDB. */

import type { DataTable } from "../../model/dataset.js";
import type { SinkOptions } from "../stream.js";
import { loadChunks } from "./load-chunks.node.js";
import { nativeConnection, nativePackages } from "./node-api.node.js";

/** A function that creates a table with the rows of the one that it is given, as `loadTable` does for DuckDB-WASM. */
export type NativeLoader = (table: DataTable, options: SinkOptions) => Promise<number>;

/**
 * The loader for a connection of `@duckdb/node-api`.
 * @throws {MissingDependencyError} where the package is not found beside this library.
 * @throws {InvalidInputError} for a connection of another copy of the package.
 */
export function nativeLoader(connection: unknown): NativeLoader {
  const packages = nativePackages();
  const native = nativeConnection(packages, connection);
  return (table, options) => loadChunks(packages, native, table, options);
}
