/**
 * Database files of DuckDB-WASM. A temporary one has no name any more once DuckDB has opened it: the system frees its room
 * when the process ends, however it ends.
 */

import { closeSync, fstatSync, ftruncateSync, openSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvalidInputError } from "../../model/errors.js";
import { quotedName, textLiteral } from "./engine.js";

/** A folder for temporary files, which is created when it is needed. */
export interface PlaceOfFiles {
  readonly path: string;
  create(): Promise<{ remove(): Promise<void> }>;
}

/** What a database file needs of DuckDB-WASM in this process, be it in another thread. */
interface Querying {
  query(sql: string): unknown;
}

/** Bytes that a file leaves free on the disk. DuckDB-WASM may end where a write fails. */
const LEFT_FREE = 2 ** 25;

/** A database that tables are in beside the one of the connection. */
export interface AttachedDatabase {
  /** The name of the database in statements. */
  readonly name: string;
  /** Bytes of temporary files. */
  readonly size: number;
  /** Takes the database out of DuckDB. */
  detach(): Promise<void>;
  /** Frees the room of temporary files. */
  free(): Promise<void>;
}

/** Attaches a database file that stays, and is not changed. @param number tells the files of a connection apart. */
export async function attachKept(connection: Querying, path: string, number: number): Promise<AttachedDatabase> {
  const name = `annarrow file ${number}`;
  await connection.query(`attach ${textLiteral(path)} as ${quotedName(name)} (read_only)`);
  return {
    name,
    size: 0,
    async detach() {
      await connection.query(`detach ${quotedName(name)}`);
    },
    free: async () => undefined,
  };
}

export class DatabaseFile implements AttachedDatabase {
  readonly name: string;
  readonly #connection: Querying;
  readonly #handle: number;
  /** Removes a file whose name the system could not take away. */
  readonly #remove: () => Promise<void>;

  private constructor(connection: Querying, name: string, handle: number, remove: () => Promise<void>) {
    this.#connection = connection;
    this.name = name;
    this.#handle = handle;
    this.#remove = remove;
  }

  /** @param number tells the files of a connection apart. */
  static async create(connection: Querying, place: PlaceOfFiles, number: number): Promise<DatabaseFile> {
    const folder = await place.create();
    const path = join(place.path, `${number}.duckdb`);
    const name = `annarrow file ${number}`;
    try {
      await connection.query(`attach ${textLiteral(path)} as ${quotedName(name)}`);
      // Every commit writes to the file itself. A journal would need a name.
      await connection.query("set checkpoint_threshold = '0B'");
      const handle = openSync(path, "r+");
      await folder.remove().catch(() => undefined);
      return new DatabaseFile(connection, name, handle, () => folder.remove());
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  get size(): number {
    return fstatSync(this.#handle).size;
  }

  /**
   * Frees the room of the file. DuckDB-WASM keeps it open, and shortens files by their names, which this one has lost: so
   * tables are never dropped in it, and the file is emptied here.
   */
  async free(): Promise<void> {
    ftruncateSync(this.#handle, 0);
    closeSync(this.#handle);
    await this.#remove();
  }

  async detach(): Promise<void> {
    await this.#connection.query(`detach ${quotedName(this.name)}`);
  }
}

/**
 * @param folder the folder on the disk; null for the system's folder for temporary files.
 * @throws {InvalidInputError} where the disk has no room for so many bytes.
 */
export function checkRoom(bytes: number, folder: string | null = null): void {
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
