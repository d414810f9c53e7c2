/** Tables of DuckDB-WASM: in its memory up to a budget, beyond it in temporary database files. */

import { DataType } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import type { SinkOptions } from "../stream.js";
import { checkRoom, DatabaseFile, type PlaceOfFiles } from "./database-file.node.js";
import { type DuckDBConnection, loadTable } from "./duckdb.js";
import { exceedsTempSize, quotedName } from "./engine.js";

export interface SpillOptions {
  readonly folder: PlaceOfFiles;
  /** Bytes of tables that stay in memory. */
  readonly memory: number;
  /** Most bytes of temporary files; as many as the disk has room for by default. */
  readonly tempSize?: number;
}

/** Most bytes of tables in the memory of WebAssembly, which ends at 4 GiB: statements need the rest. */
const MOST_IN_MEMORY = 2 ** 31;

/** Bytes that DuckDB needs to work with tables in files. */
const LEAST_MEMORY = 2 ** 26;

/** Bytes of a value of variable width in DuckDB's memory; long ones have more. */
const VALUE_BYTES = 16;

export class SpilledTables {
  readonly #connection: DuckDBConnection;
  readonly #options: SpillOptions;
  readonly #memory: number;
  /** Bytes of the tables in memory, by their names in small letters. */
  readonly #held = new Map<string, number>();
  /** The files of the other tables. */
  readonly #files = new Map<string, DatabaseFile>();
  #made = 0;

  constructor(connection: DuckDBConnection, options: SpillOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#memory = Math.min(options.memory, MOST_IN_MEMORY);
  }

  /**
   * Creates a table, as `loadTable` does.
   * @returns the number of rows.
   * @throws {InvalidInputError} where the files need more than `tempSize`, or the disk is full.
   */
  async load(table: DataTable, options: SinkOptions): Promise<number> {
    const key = table.name.toLowerCase();
    const expected = (table.rows ?? 0) * rowBytes(table);
    const isTooMuch = (bytes: number) => bytes + sum(this.#held.values()) > this.#memory;
    let bytes = 0;
    let file: DatabaseFile | null = null;
    const within: DuckDBConnection = {
      // The only query drops a table that failed half-way: in a file it goes with the file.
      query: (sql) => (file === null ? this.#connection.query(sql) : null),
      insertArrowFromIPCStream: async (stream, how) => {
        bytes += stream.length;
        if (file === null && isTooMuch(Math.max(bytes, expected))) {
          file = await this.#newFile(key);
          if (how.create === false) this.#move(how.name, file);
          this.#limitMemory();
        }
        if (file === null) return this.#connection.insertArrowFromIPCStream(stream, how);
        checkRoom(stream.length);
        // Each stream is a transaction of its own: DuckDB holds in memory what a transaction writes.
        this.#connection.query(`use ${quotedName(file.name)}`);
        this.#connection.insertArrowFromIPCStream(stream, how);
        this.#useAll();
        this.#checkSize();
      },
    };
    try {
      const rows = await loadTable(table, within, options);
      if (file === null) this.#held.set(key, Math.max(bytes, expected));
      return rows;
    } catch (error) {
      if (file !== null) await this.drop(table.name);
      throw error;
    }
  }

  /** Removes what `load` made. */
  async drop(name: string): Promise<void> {
    const key = name.toLowerCase();
    this.#held.delete(key);
    const file = this.#files.get(key);
    if (file === undefined) {
      this.#connection.query(`drop table if exists ${quotedName(name)}`);
      return;
    }
    this.#files.delete(key);
    this.#useAll();
    await file.detach();
  }

  /** Frees the room of all files, whose tables cannot be read any more. */
  async close(): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const file of files) await file.free();
  }

  async #newFile(key: string): Promise<DatabaseFile> {
    const file = await DatabaseFile.create(this.#connection, this.#options.folder, this.#made++);
    this.#files.set(key, file);
    return file;
  }

  /** Moves the rows that came before into the file. */
  #move(name: string, file: DatabaseFile): void {
    const table = quotedName(name);
    this.#connection.query(`create table ${quotedName(file.name)}.main.${table} as from memory.main.${table}`);
    this.#connection.query(`drop table memory.main.${table}`);
  }

  /** DuckDB keeps what it has read of files as long as it may hold more. */
  #limitMemory(): void {
    const limit = Math.max(this.#memory, LEAST_MEMORY) + sum(this.#held.values());
    this.#connection.query(`set memory_limit = '${limit}B'`);
  }

  /** Lets statements find the tables of all files by their names; new tables are made in memory. */
  #useAll(): void {
    const names = ["memory", ...[...this.#files.values()].map(({ name }) => name)];
    const path = names.map((name) => `${quotedName(name)}.main`).join(",");
    this.#connection.query(`set search_path = '${path}'`);
  }

  #checkSize(): void {
    const { tempSize = Number.POSITIVE_INFINITY } = this.#options;
    const size = sum([...this.#files.values()].map((file) => file.size));
    if (size > tempSize) throw exceedsTempSize(tempSize);
  }
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** The least bytes of a row in DuckDB's memory. */
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
