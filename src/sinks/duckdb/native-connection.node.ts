/**
 * Connections to native DuckDB through the bindings of `@duckdb/node-api`, which alone give access to the bytes of
 * vectors. The package itself has 180 more files, and is loaded only for connections that a caller passes.
 */

import { createRequire } from "node:module";
import { InvalidInputError, isAnnarrowError, MissingDependencyError } from "../../model/errors.js";

export type Bindings = typeof import("@duckdb/node-bindings");

/** A vector of DuckDB: a column of a chunk, or a child of a nested vector. */
export type NativeVector = import("@duckdb/node-bindings").Vector;
export type NativeType = import("@duckdb/node-bindings").LogicalType;
type NativeChunk = import("@duckdb/node-bindings").DataChunk;
type NativeResult = import("@duckdb/node-bindings").Result;

export interface NativeConnection {
  run(sql: string): Promise<unknown>;
  appender(table: string): Promise<NativeAppender>;
}

export interface NativeAppender {
  readonly chunk: NativeChunk;
  /** Appends the rows of the chunk. */
  flush(): void;
  /** Discards rows that are not yet appended to the table. */
  clear(): void;
  close(): void;
}

/** A connection to a database that annarrow opened. */
export interface OwnedConnection extends NativeConnection {
  /** Runs all statements in the text. The last statement only runs as far as its chunks are fetched. */
  stream(sql: string): Promise<NativeResult>;
  interrupt(): void;
  close(): void;
}

const PACKAGE = "@duckdb/node-api";
const INSTALL = `npm install ${PACKAGE}@1.5.5-r.5`;

/**
 * Returns the reason why bindings of this DuckDB version cannot be used; null if they can. The range of peer
 * dependencies cannot express this: the package's versions are prereleases (`1.5.5-r.5`), and a range matches
 * prereleases only of the version that it names.
 */
export function findVersionProblem(version: string): string | null {
  return /^v1\./.test(version) ? null : `DuckDB ${version} is not known to this version of annarrow`;
}

/**
 * @throws {MissingDependencyError} if `@duckdb/node-api` is not installed, has no build for this machine, or contains a
 * major version of DuckDB other than 1.
 */
export function loadNativeBindings(): Bindings {
  const require = createRequire(import.meta.url);
  try {
    // The bindings are a dependency of `@duckdb/node-api`, and may not be resolvable from this package.
    const bindings: Bindings = createRequire(require.resolve(PACKAGE))("@duckdb/node-bindings");
    if (typeof bindings.copy_data_to_vector_validity !== "function") throw new Error("an old version");
    const unknown = findVersionProblem(bindings.library_version());
    if (unknown !== null) throw new MissingDependencyError(`${unknown}: ${INSTALL}`);
    return bindings;
  } catch (cause) {
    if (isAnnarrowError(cause)) throw cause;
    throw new MissingDependencyError(`native DuckDB needs the package ${PACKAGE}: ${INSTALL}`, { cause });
  }
}

export async function openConnection(
  bindings: Bindings,
  path: string,
  settings: Readonly<Record<string, string>>,
): Promise<OwnedConnection> {
  const config = bindings.create_config();
  for (const [name, value] of Object.entries(settings)) bindings.set_config(config, name, value);
  const database = await bindings.open(path, config);
  const connection = await bindings.connect(database);
  return {
    run: (sql) => bindings.query(connection, sql),
    async stream(sql) {
      const { extracted_statements: all, statement_count: count } = await bindings.extract_statements(connection, sql);
      if (count === 0) throw new Error(bindings.extract_statements_error(all));
      for (let i = 0; ; i++) {
        const prepared = await bindings.prepare_extracted_statement(connection, all, i);
        try {
          if (i === count - 1) return await bindings.execute_prepared_streaming(prepared);
          await bindings.execute_prepared(prepared);
        } finally {
          bindings.destroy_prepare_sync(prepared);
        }
      }
    },
    async appender(table) {
      const appender = bindings.appender_create_ext(connection, null, null, table);
      const columns = Array.from({ length: bindings.appender_column_count(appender) }, (_, i) => i);
      const chunk = bindings.create_data_chunk(columns.map((i) => bindings.appender_column_type(appender, i)));
      return {
        chunk,
        flush: () => bindings.append_data_chunk(appender, chunk),
        clear: () => bindings.appender_clear(appender),
        close: () => bindings.appender_close_sync(appender),
      };
    },
    interrupt: () => bindings.interrupt(connection),
    close() {
      bindings.disconnect_sync(connection);
      bindings.close_sync(database);
    },
  };
}

/**
 * Wraps a caller's connection, which must come from the copy of the package that is resolved here.
 * @throws {InvalidInputError} for a connection from another copy, because these bindings must not access its vectors.
 */
export function checkCallerConnection(connection: unknown): NativeConnection {
  const { DuckDBConnection, DuckDBDataChunk }: typeof import("@duckdb/node-api") = createRequire(import.meta.url)(
    PACKAGE,
  );
  if (!(connection instanceof DuckDBConnection)) {
    throw new InvalidInputError(
      "the connection comes from another copy of @duckdb/node-api than the one that annarrow finds: install it once, beside annarrow",
    );
  }
  return {
    run: (sql) => connection.run(sql),
    async appender(table) {
      // By default an appender uses "main" in the first database, but after `use` the tables are created elsewhere.
      const [[database, schema]] = (
        await connection.runAndReadAll("select current_database(), current_schema()")
      ).getRows();
      const appender = await connection.createAppender(table, String(schema), String(database));
      const columns = Array.from({ length: appender.columnCount }, (_, i) => i);
      const chunk = DuckDBDataChunk.create(columns.map((i) => appender.columnType(i)));
      return {
        chunk: chunk.chunk,
        flush: () => appender.appendDataChunk(chunk),
        clear: () => appender.clear(),
        close: () => appender.closeSync(),
      };
    },
  };
}
