/** Tables of DuckDB-WASM, which are kept in memory up to a limit and then in temporary database files. */

import { closeSync, fstatSync, ftruncateSync, openSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DataType } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { SinkOptions } from "../stream.js";
import {
  type CachedTableLocation,
  createTempSizeError,
  type DuckDBTables,
  type LimitAdvice,
  quoteSqlName,
  quoteSqlText,
} from "./engine.js";
import { type DuckDBConnection, loadTable } from "./load-table.js";

export interface SpillOptions {
  readonly folder: PlaceOfFiles;
  /** Maximum bytes of tables that stay in memory. */
  readonly memory: number;
  /** Maximum bytes of temporary files; by default limited by the free disk space. */
  readonly tempSize?: number;
  /** Advice in messages about these limits; by default, the advice to raise them. */
  readonly advice?: LimitAdvice;
}

export interface TablesDatabase {
  readonly name: string;
  /** Search path of statements, as in `search_path`. */
  readonly searchPath: string;
  /** Number of the first file. It must be unique in the database. */
  readonly firstFile: number;
  /** Whether to limit DuckDB's memory as soon as there are files. Otherwise, the database's creator limits it. */
  readonly isLimited: boolean;
}

/** The database of an engine that contains no other tables. */
const PRIVATE_DATABASE: TablesDatabase = {
  name: "memory",
  searchPath: '"memory"."main"',
  firstFile: 0,
  isLimited: true,
};

/** A table in a file, and the qualified name of the view that gives statements access to it. */
interface FiledTable {
  readonly file: AttachedDatabase;
  readonly view: string | null;
  isViewMade: boolean;
}

/** Maximum bytes of tables in WebAssembly memory. That memory is limited to 4 GiB, and statements need the rest. */
const MAX_IN_MEMORY = 2 ** 31;

/** Minimum memory that DuckDB needs to work with tables in files. */
const LEAST_MEMORY = 2 ** 26;

/** Size in bytes of a variable-width value in DuckDB's memory. Long values need more. */
const VALUE_BYTES = 16;

/** File extension of cached tables. */
const KEPT = "duckdb";

/** Name of a cached table in its file. */
const ROWS = "rows";

export class SpilledTables implements DuckDBTables {
  readonly #connection: DuckDBConnection;
  readonly #options: SpillOptions;
  readonly #database: TablesDatabase;
  readonly #memory: number;
  /** Bytes of the tables in memory, by table key. */
  readonly #held = new Map<string, number>();
  readonly #filed = new Map<string, FiledTable>();
  #made: number;

  constructor(connection: DuckDBConnection, options: SpillOptions, database = PRIVATE_DATABASE) {
    this.#connection = connection;
    this.#options = options;
    this.#database = database;
    this.#memory = Math.min(options.memory, MAX_IN_MEMORY);
    this.#made = database.firstFile;
  }

  /**
   * Creates a table, as `loadTable` does.
   * @param schema the table's schema. If the table is stored in a file, the schema contains a view of it. Without a
   * schema, statements find the table itself through the search path.
   * @returns the number of rows.
   * @throws {InvalidInputError} if the files need more than `tempSize`, or if the disk is full.
   */
  async load(table: DataTable, options: SinkOptions = {}, schema: string | null = null): Promise<number> {
    const key = keyOf(table.name, schema);
    const expected = (table.rows ?? 0) * rowBytes(table);
    const isTooMuch = (bytes: number) => bytes + sum(this.#held.values()) > this.#memory;
    let bytes = 0;
    let filed: FiledTable | null = null;
    const within: DuckDBConnection = {
      // The only query drops a table that failed half-way. A table in a file is removed with its file instead.
      query: (sql) => (filed === null ? this.#connection.query(sql) : null),
      insertArrowFromIPCStream: async (stream, how) => {
        bytes += stream.length;
        if (filed === null && isTooMuch(Math.max(bytes, expected))) {
          filed = await this.#newFile(how.name, schema);
          if (how.create === false) await this.#move(how.name, schema, filed);
          await this.#limitMemory();
        }
        if (filed === null) {
          await this.#connection.insertArrowFromIPCStream(stream, how);
          return;
        }
        checkRoom(stream.length);
        // Each stream uses its own transaction, because DuckDB holds a transaction's writes in memory.
        await this.#connection.query(`use ${quoteSqlName(filed.file.name)}`);
        try {
          await this.#connection.insertArrowFromIPCStream(stream, { ...how, schema: "main" });
        } finally {
          await this.#useAll();
        }
        await this.#makeView(how.name, filed);
        this.#checkSize();
      },
    };
    try {
      const rows = await loadTable(table, within, options, schema);
      if (filed === null) this.#held.set(key, Math.max(bytes, expected));
      return rows;
    } catch (error) {
      if (filed !== null) await this.drop(table.name, schema);
      throw error;
    }
  }

  isKept(place: CachedTableLocation): boolean {
    return place.has(KEPT);
  }

  async loadKept(table: DataTable, place: CachedTableLocation, options: SinkOptions = {}): Promise<void> {
    const { name } = table;
    await place.ensure(KEPT, (path) => this.#writeFile(path, table, options));
    const file = await attachKept(this.#connection, place.path(KEPT), this.#made++);
    const view = this.#placeOf(name, null);
    this.#filed.set(keyOf(name, null), { file, view, isViewMade: true });
    await this.#connection.query(`create view ${view} as from ${quoteSqlName(file.name)}.main.${quoteSqlName(ROWS)}`);
    await this.#limitMemory();
  }

  /** Writes the rows of a table to a persistent database file. */
  async #writeFile(path: string, table: DataTable, options: SinkOptions): Promise<void> {
    const name = quoteSqlName(nameOfFile(this.#made++));
    await this.#connection.query(`attach ${quoteSqlText(path)} as ${name}`);
    try {
      // Every commit writes to the database file itself, so the file needs no journal.
      await this.#connection.query("set checkpoint_threshold = '0B'");
      await this.#limitMemory();
      await this.#connection.query(`use ${name}`);
      const within: DuckDBConnection = {
        query: (sql) => this.#connection.query(sql),
        insertArrowFromIPCStream: (stream, how) => {
          checkRoom(stream.length, dirname(path));
          return this.#connection.insertArrowFromIPCStream(stream, { ...how, name: ROWS, schema: "main" });
        },
      };
      await loadTable(table, within, options);
    } finally {
      await this.#useAll();
      await this.#connection.query(`detach ${name}`);
    }
  }

  /** Removes a table or view that was created by `load` or `loadKept`. */
  async drop(name: string, schema: string | null = null): Promise<void> {
    const key = keyOf(name, schema);
    this.#held.delete(key);
    if (this.#filed.has(key)) await this.#removeFile(key);
    else await this.#connection.query(`drop table if exists ${this.#placeOf(name, schema)}`);
  }

  get hasFiles(): boolean {
    return this.#filed.size > 0;
  }

  async dropFiled(): Promise<void> {
    for (const key of [...this.#filed.keys()]) await this.#removeFile(key);
  }

  /** Releases the disk space of all files. Their tables can then no longer be read. */
  async close(): Promise<void> {
    const all = [...this.#filed.values()];
    this.#filed.clear();
    for (const { file } of all) await file.free();
  }

  async #removeFile(key: string): Promise<void> {
    const filed = this.#filed.get(key);
    if (filed === undefined) return;
    this.#filed.delete(key);
    const { file, view, isViewMade } = filed;
    try {
      if (isViewMade) await this.#connection.query(`drop view if exists ${view}`);
      await this.#useAll();
      await this.#connection.query(`detach ${quoteSqlName(file.name)}`);
    } finally {
      await file.free();
    }
  }

  async #newFile(name: string, schema: string | null): Promise<FiledTable> {
    const file = await attachTemporary(this.#connection, this.#options.folder, this.#made++);
    const filed = { file, view: schema === null ? null : this.#placeOf(name, schema), isViewMade: false };
    this.#filed.set(keyOf(name, schema), filed);
    return filed;
  }

  /** @throws DuckDB's error if the schema already has a table or a view with this name. */
  async #makeView(name: string, filed: FiledTable): Promise<void> {
    const { file, view, isViewMade } = filed;
    if (view === null || isViewMade) return;
    await this.#connection.query(`create view ${view} as from ${quoteSqlName(file.name)}.main.${quoteSqlName(name)}`);
    filed.isViewMade = true;
  }

  /** Moves rows that were already loaded into memory to the file. */
  async #move(name: string, schema: string | null, { file }: FiledTable): Promise<void> {
    const table = this.#placeOf(name, schema);
    await this.#connection.query(`create table ${quoteSqlName(file.name)}.main.${quoteSqlName(name)} as from ${table}`);
    await this.#connection.query(`drop table ${table}`);
  }

  #placeOf(name: string, schema: string | null): string {
    return [this.#database.name, schema ?? "main", name].map(quoteSqlName).join(".");
  }

  /** Limits DuckDB's memory. Without this, DuckDB would cache data from files up to its default memory limit. */
  async #limitMemory(): Promise<void> {
    if (!this.#database.isLimited) return;
    const limit = Math.max(this.#memory, LEAST_MEMORY) + sum(this.#held.values());
    await this.#connection.query(`set memory_limit = '${limit}B'`);
  }

  /**
   * Lets statements find tables that are in files and have no view. New tables are still created in the main database.
   */
  async #useAll(): Promise<void> {
    const files = [...this.#filed.values()].filter(({ view }) => view === null);
    const places = files.map(({ file }) => `${quoteSqlName(file.name)}.main`);
    const { name, searchPath } = this.#database;
    const path = [searchPath, ...places].join(",");
    // A search path entry without a database refers to the current database.
    await this.#connection.query(`use ${quoteSqlName(name)}.main`);
    await this.#connection.query(`set search_path = ${quoteSqlText(path)}`);
  }

  #checkSize(): void {
    const { tempSize = Number.POSITIVE_INFINITY, advice } = this.#options;
    const size = sum([...this.#filed.values()].map(({ file }) => file.size()));
    if (size > tempSize) throw createTempSizeError(tempSize, advice);
  }
}

/** Returns a table's key, in lower case because DuckDB compares names case-insensitively. */
function keyOf(name: string, schema: string | null): string {
  return JSON.stringify([schema, name]).toLowerCase();
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** Returns the minimum bytes of a row in DuckDB's memory. */
function rowBytes({ schema }: DataTable): number {
  return sum(schema.fields.map(({ type }) => valueBytes(type)));
}

function valueBytes(type: DataType): number {
  if (DataType.isBool(type) || DataType.isNull(type)) return 1;
  if (DataType.isInt(type)) return type.bitWidth / 8;
  if (DataType.isFloat(type)) return [4, 4, 8][type.precision];
  if (DataType.isDictionary(type)) return valueBytes(type.dictionary);
  if (DataType.isFixedSizeList(type)) return type.listSize * valueBytes(type.valueType);
  return VALUE_BYTES;
}

// Database files of DuckDB-WASM. A temporary file is unlinked once DuckDB has opened it, so the system frees its disk
// space whenever and however the process ends.

/** A folder for temporary files, which is created on first use. */
interface PlaceOfFiles {
  readonly path: string;
  create(): Promise<{ remove(): Promise<void> }>;
}

/** The methods that are needed of DuckDB-WASM in this process, in any thread. */
interface Querying {
  query(sql: string): unknown;
}

/** Bytes to leave free on the disk. DuckDB-WASM may abort if a write fails. */
const LEFT_FREE = 2 ** 25;

/** A database with tables, attached to the connection's own database. */
interface AttachedDatabase {
  readonly name: string;
  /** Returns the bytes of temporary files. */
  size(): number;
  /** Releases the disk space of temporary files. */
  free(): Promise<void>;
}

/** Returns the name under which a file is attached. @param number unique number of the file in the connection. */
const nameOfFile = (number: number) => `annarrow file ${number}`;

/** Attaches a persistent, read-only database file. */
async function attachKept(connection: Querying, path: string, number: number): Promise<AttachedDatabase> {
  const name = nameOfFile(number);
  await connection.query(`attach ${quoteSqlText(path)} as ${quoteSqlName(name)} (read_only)`);
  return { name, size: () => 0, free: async () => undefined };
}

/** Attaches a new temporary database file. */
async function attachTemporary(connection: Querying, place: PlaceOfFiles, number: number): Promise<AttachedDatabase> {
  const folder = await place.create();
  const path = join(place.path, `${number}.duckdb`);
  const name = nameOfFile(number);
  try {
    await connection.query(`attach ${quoteSqlText(path)} as ${quoteSqlName(name)}`);
    // Every commit writes to the database file itself, because a journal would need the file's name.
    await connection.query("set checkpoint_threshold = '0B'");
    const handle = openSync(path, "r+");
    await folder.remove().catch(() => undefined);
    return {
      name,
      size: () => fstatSync(handle).size,
      async free() {
        // DuckDB-WASM keeps the file open and truncates files by name, but this file was unlinked. So its tables are
        // never dropped, and the file is truncated here instead.
        ftruncateSync(handle, 0);
        closeSync(handle);
        // The system may not have removed the file because it was open.
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/**
 * @param folder the folder on the disk; null for the system's temporary folder.
 * @throws {InvalidInputError} if the disk has less free space than `bytes`.
 */
function checkRoom(bytes: number, folder: string | null = null): void {
  const { bavail, bsize } = statfsSync(folder ?? tmpdir());
  const free = bavail * bsize;
  if (free >= bytes + LEFT_FREE) return;
  throw new InvalidInputError(
    folder === null
      ? `the folder for temporary files, ${tmpdir()}, has room for ${free} bytes, which is too little: set TMPDIR to another one`
      : `the disk has room for ${free} bytes, which is too little`,
    { source: folder ?? undefined },
  );
}
