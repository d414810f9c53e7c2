/** Loads the packages of native DuckDB: `@duckdb/node-api`, and its bindings, which alone reach the bytes of vectors. */

import { createRequire } from "node:module";
import { InvalidInputError, MissingDependencyError } from "../../model/errors.js";

export type NodeApi = typeof import("@duckdb/node-api");
export type Bindings = typeof import("@duckdb/node-bindings");

/** A vector of DuckDB: a column of a chunk, or a part of a nested one. */
export type NativeVector = import("@duckdb/node-bindings").Vector;

export type NativeConnection = import("@duckdb/node-api").DuckDBConnection;
export type NativeType = import("@duckdb/node-api").DuckDBType;
/** The numbers of the types of DuckDB, by their names. */
export type DuckDBTypeIds = NodeApi["DuckDBTypeId"];

export interface NativePackages {
  readonly api: NodeApi;
  readonly bindings: Bindings;
}

const PACKAGE = "@duckdb/node-api";

/** @throws {MissingDependencyError} where `@duckdb/node-api` is not installed, or has no build for this machine. */
export function nativePackages(): NativePackages {
  const require = createRequire(import.meta.url);
  try {
    const api: NodeApi = require(PACKAGE);
    // The bindings are a package of the package's own, which need not be visible from here.
    const bindings: Bindings = createRequire(require.resolve(PACKAGE))("@duckdb/node-bindings");
    if (typeof bindings.copy_data_to_vector_validity !== "function") throw new Error("an old version");
    return { api, bindings };
  } catch (cause) {
    throw new MissingDependencyError(
      "native DuckDB needs the package @duckdb/node-api: npm install @duckdb/node-api@1.5.5-r.5",
      { cause },
    );
  }
}

/**
 * Checks that a caller's connection is one of the package that is loaded here.
 * @throws {InvalidInputError} for a connection of another copy, whose vectors these bindings must not touch.
 */
export function nativeConnection(packages: NativePackages, connection: unknown): NativeConnection {
  if (connection instanceof packages.api.DuckDBConnection) return connection;
  throw new InvalidInputError(
    "the connection comes from another copy of @duckdb/node-api than the one that annarrow finds: install it once, beside annarrow",
  );
}
