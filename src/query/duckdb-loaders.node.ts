/** Loads tables through connections to native DuckDB, and to DuckDB-WASM with temporary files. */

import { planWorkFolder } from "../io/targets/temporary-folder.node.js";
import { InvalidInputError } from "../model/errors.js";
import { quoteSqlText } from "../sinks/duckdb/engine.js";
import { loadChunks } from "../sinks/duckdb/load-chunks.node.js";
import { createDirectLoader, type DuckDBConnection, loadTable, type TableLoader } from "../sinks/duckdb/load-table.js";
import { checkCallerConnection, loadNativeBindings } from "../sinks/duckdb/native-connection.node.js";
import { SpilledTables, type SpillOptions } from "../sinks/duckdb/spilled-tables.node.js";

/**
 * Returns the table loader for a connection of `@duckdb/node-api`.
 * @throws {MissingDependencyError} if the package is not installed next to this library.
 * @throws {InvalidInputError} if the connection belongs to another copy of the package.
 */
export function createNativeLoader(connection: unknown): TableLoader {
  const bindings = loadNativeBindings();
  const native = checkCallerConnection(connection);
  return createDirectLoader((table, options) => loadChunks(bindings, native, table, options));
}

/**
 * Returns the table loader for a connection to DuckDB-WASM, whose database may be in another thread of this process. If
 * the database is in memory, tables that exceed the budget are written to temporary files.
 * @throws {InvalidInputError} if the budget is not a number of bytes.
 */
export async function createSpillingLoader(
  connection: DuckDBConnection,
  limits: Omit<SpillOptions, "folder">,
): Promise<TableLoader> {
  if (!(limits.memory >= 0)) throw new InvalidInputError(`"memory" is a number of bytes, not ${limits.memory}`);
  const { name, schema, path, searchPath, firstFile, threshold } = await settingsOf(connection);
  checkDirect(connection);
  if (path !== "") return createDirectLoader((table, options) => loadTable(table, connection, options));
  const spill = { folder: await planWorkFolder("annarrow-duckdb"), ...limits };
  const database = { name, searchPath, firstFile: Number(firstFile), isLimited: false };
  const tables = new SpilledTables(connection, spill, database);
  return {
    async load(table, options) {
      try {
        return await tables.load(table, options, schema);
      } finally {
        if (tables.hasFiles) await connection.query(`set checkpoint_threshold = ${quoteSqlText(threshold)}`);
      }
    },
    async close() {
      // The files must be removed even if the connection has been closed.
      await tables.dropFiled().finally(() => tables.close());
    },
  };
}

/**
 * Checks that the database bypasses the buffer of DuckDB-WASM when it reads files, if the connection reveals this. That
 * buffer returns wrong blocks of large files.
 */
function checkDirect(connection: object): void {
  const bindings: unknown = Reflect.get(connection, "bindings");
  const config: unknown = Reflect.get(Object(bindings), "config");
  if (typeof config !== "object" || config === null || Reflect.get(config, "useDirectIO") === true) return;
  throw new InvalidInputError(
    '"memory" needs a database that was opened with useDirectIO: database.open({ path: ":memory:", useDirectIO: true })',
  );
}

/** Current settings of the connection. The path of an in-memory database is empty. */
const SETTINGS = `
  select database_name as name, current_schema() as schema, coalesce(path, '') as path,
    current_setting('search_path') as searchPath, current_setting('checkpoint_threshold') as threshold,
    (select coalesce(max(try_cast(replace(database_name, 'annarrow file ', '') as integer)) + 1, 0)
      from duckdb_databases() where starts_with(database_name, 'annarrow file '))::varchar as firstFile
  from duckdb_databases() where database_name = current_database()`;

async function settingsOf(connection: DuckDBConnection) {
  const answer: unknown = await connection.query(SETTINGS);
  const [row]: unknown[] = isIterable(answer) ? [...answer] : [];
  const text = (key: string): string => {
    const value: unknown = Reflect.get(Object(row), key);
    if (typeof value === "string") return value;
    throw new InvalidInputError(`the connection does not tell DuckDB's ${key}`);
  };
  return {
    ...{ name: text("name"), schema: text("schema"), path: text("path"), searchPath: text("searchPath") },
    ...{ firstFile: text("firstFile"), threshold: text("threshold") },
  };
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof Reflect.get(Object(value), Symbol.iterator) === "function";
