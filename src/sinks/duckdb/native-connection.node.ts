/**
 * Connections of native DuckDB. They stand on the bindings of `@duckdb/node-api`, which alone reach the bytes of vectors; the
 * package itself is 180 files more, and is loaded for connections of a caller alone.
 */

import { createRequire } from "node:module";
import { InvalidInputError, isAnnarrowError, MissingDependencyError } from "../../model/errors.js";

export type Bindings = typeof import("@duckdb/node-bindings");

/** A vector of DuckDB: a column of a chunk, or a part of a nested one. */
export type NativeVector = import("@duckdb/node-bindings").Vector;
export type NativeType = import("@duckdb/node-bindings").LogicalType;
type NativeChunk = import("@duckdb/node-bindings").DataChunk;
type NativeResult = import("@duckdb/node-bindings").Result;

export interface NativeConnection {
  run(sql: string): Promise<unknown>;
  /** An appender of the rows of this table. */
  appender(table: string): Promise<NativeAppender>;
}

export interface NativeAppender {
  /** Has the columns of the table. */
  readonly chunk: NativeChunk;
  /** Appends the rows of the chunk. */
  flush(): void;
  /** Forgets the rows that are not in the table yet. */
  clear(): void;
  close(): void;
}

/** A connection to a database that was opened here. */
export interface OwnConnection extends NativeConnection {
  /** Runs all statements of the text, the last one as far as its chunks are fetched. */
  stream(sql: string): Promise<NativeResult>;
  interrupt(): void;
  /** Closes the connection and its database. */
  close(): void;
}

const PACKAGE = "@duckdb/node-api";
const INSTALL = `npm install ${PACKAGE}@1.5.5-r.5`;

/**
 * The reason why bindings of this version of DuckDB are not used; null where they are. The range of peer dependencies
 * cannot say this: versions of the package are prereleases (`1.5.5-r.5`), which match no range but their own.
 */
export function unknownVersion(version: string): string | null {
  return /^v1\./.test(version) ? null : `DuckDB ${version} is not known to this version of annarrow`;
}

/**
 * @throws {MissingDependencyError} where `@duckdb/node-api` is not installed, has no build for this machine, or brings
 * another major version of DuckDB than 1.
 */
export function nativeBindings(): Bindings {
  const require = createRequire(import.meta.url);
  try {
    // The bindings are a package of the package's own, which need not be visible from here.
    const bindings: Bindings = createRequire(require.resolve(PACKAGE))("@duckdb/node-bindings");
    if (typeof bindings.copy_data_to_vector_validity !== "function") throw new Error("an old version");
    const unknown = unknownVersion(bindings.library_version());
    if (unknown !== null) throw new MissingDependencyError(`${unknown}: ${INSTALL}`);
    return bindings;
  } catch (cause) {
    if (isAnnarrowError(cause)) throw cause;
    throw new MissingDependencyError(`native DuckDB needs the package ${PACKAGE}: ${INSTALL}`, { cause });
  }
}

/** Opens a database with these settings, and connects to it. */
export async function openConnection(
  bindings: Bindings,
  path: string,
  settings: Readonly<Record<string, string>>,
): Promise<OwnConnection> {
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
 * A caller's connection, which must be one of the package that is found here.
 * @throws {InvalidInputError} for a connection of another copy, whose vectors these bindings must not touch.
 */
export function callersConnection(connection: unknown): NativeConnection {
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
      // An appender looks into "main" of the first database, where `use` has not led the tables that were created.
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
