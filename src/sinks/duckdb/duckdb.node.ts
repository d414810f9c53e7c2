/** Runs DuckDB inside this process with the blocking build of DuckDB-WASM. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire, Module } from "node:module";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import * as apacheArrow from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError, MissingDependencyError } from "../../model/errors.js";
import type { SinkOptions } from "../stream.js";
import { CELL_BYTES } from "./answer-limit.js";
import { type DuckDBEngine, getDuckDBMessage, RAISE_LIMITS, readPlan, SETTINGS } from "./engine.js";
import { createMemoryTables, type DuckDBConnection, loadTable } from "./load-table.js";
import { readAnswer } from "./result-table.js";
import { SpilledTables, type SpillOptions } from "./spilled-tables.node.js";
import { readNextMessages } from "./wasm-answer.node.js";
import { compileDuckDBModule, startWith } from "./wasm-module.node.js";

type Blocking = typeof import("@duckdb/duckdb-wasm/blocking");

/** DuckDB-WASM in this thread, which is blocked during computation. */
export interface InProcessDuckDB extends DuckDBEngine {
  readonly connection: DuckDBConnection;
  /**
   * @param schema the table's schema; `main` by default. In any other schema, a table that is stored in a file becomes
   * a view without `rowid`.
   */
  load(table: DataTable, options?: SinkOptions, schema?: string | null): Promise<number>;
  /** Lets statements read a file of this machine by its path. */
  addFile(path: string): void;
}

export interface WasmDatabaseOptions extends SpillOptions {
  /** Maximum bytes of a value, a row and a batch of an answer; 64 MiB by default. */
  readonly maxCell?: number;
}

/** A loaded engine, with one open database at a time. The engine's memory grows and never shrinks. */
export interface LoadedDuckDB {
  readonly memoryBytes: number;
  /** Opens an empty in-memory database. Closing it removes all its content and settings. */
  open(spill?: WasmDatabaseOptions): InProcessDuckDB;
}

export interface InProcessOptions {
  /** Maximum bytes of the engine's memory; by default the 4 GiB of WebAssembly. */
  readonly memory?: number;
  /** Whether statements may load extensions of DuckDB, which makes the start slower; false by default. */
  readonly extensions?: boolean;
}

/**
 * Opens an empty in-memory database.
 * @param spill where to store tables that exceed a memory budget; by default they stay in memory.
 * @throws {MissingDependencyError} if `@duckdb/duckdb-wasm` is not installed.
 */
export async function openDuckDB(
  spill?: WasmDatabaseOptions,
  options: InProcessOptions = {},
): Promise<InProcessDuckDB> {
  return (await loadDuckDB(options)).open(spill);
}

/** @throws {MissingDependencyError} if `@duckdb/duckdb-wasm` is not installed. */
export async function loadDuckDB(options: InProcessOptions = {}): Promise<LoadedDuckDB> {
  const { extensions = false, memory = Number.POSITIVE_INFINITY } = options;
  const { engine, mainModule, bytes } = await loadEngine();
  const bundle = { mainModule, mainWorker: "" };
  // All supported Node versions have WebAssembly exceptions, so the other module is never used.
  const database = await engine.createDuckDB({ mvp: bundle, eh: bundle }, new engine.VoidLogger(), engine.NODE_RUNTIME);
  startWith(database, findingFiles(engine), compileDuckDBModule(bytes, extensions), memory);
  await database.instantiate(() => undefined);
  return {
    get memoryBytes() {
      return database.mod.HEAPU8.byteLength;
    },
    open: (spill) => openedDatabase(engine, database, spill),
  };
}

type Bindings = Awaited<ReturnType<Blocking["createDuckDB"]>>;

function openedDatabase(engine: Blocking, database: Bindings, spill?: WasmDatabaseOptions): InProcessDuckDB {
  // Without direct I/O, files are read through a 16 MiB buffer, which returns wrong blocks if a larger file is scanned
  // twice.
  database.open({ path: ":memory:", useDirectIO: true });
  const connection = database.connect();
  connection.query(SETTINGS.join("; "));
  const id = connection.useUnsafe((_, handle) => handle);
  const { advice = RAISE_LIMITS, maxCell = CELL_BYTES } = spill ?? {};
  const limit = { bytes: maxCell, advice: advice.cell };
  /** Whether a call into the engine was aborted, so that the engine's memory may be inconsistent. */
  let hasFailed = false;
  const spilled = spill === undefined ? null : new SpilledTables(connection, spill);
  const tables = spilled ?? createMemoryTables(connection);

  async function* messages(sql: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    // The engine blocks the thread; signals and timers are handled between its steps.
    const turn = async () => {
      await setImmediate();
      signal?.throwIfAborted();
    };
    try {
      await turn();
      let header = database.startPendingQuery(id, sql, true);
      for (; header === null; header = database.pollPendingQuery(id)) await turn();
      yield header;
      for (let state = "more"; state === "more"; ) {
        await turn();
        state = yield* readNextMessages(engine, database, id, header, limit);
      }
    } catch (error) {
      if (signal?.aborted || isAnnarrowError(error)) throw error;
      hasFailed ||= error instanceof WebAssembly.RuntimeError;
      throw new InvalidInputError(messageFor(error), { cause: error });
    }
  }

  function messageFor(error: unknown): string {
    const message = getDuckDBMessage(error);
    const hint = spill === undefined ? "" : `: ${advice.memory}`;
    if (message.startsWith("Out of Memory Error")) return `${message}${hint}`;
    // DuckDB does not check some allocations, and continues even if they fail.
    if (!(error instanceof WebAssembly.RuntimeError)) return message;
    return `DuckDB has failed, as it does where its memory does not suffice (${message})${hint}`;
  }

  async function query(sql: string, signal?: AbortSignal): Promise<DataTable> {
    return readAnswer(messages(sql, signal));
  }

  return {
    kind: "wasm",
    connection,
    query,
    addFile: (path) => database.registerFileURL(path, path, engine.DuckDBDataProtocol.NODE_FS, true),
    load: (table, options, schema) =>
      spilled === null ? loadTable(table, connection, options, schema) : spilled.load(table, options, schema),
    isKept: (place) => tables.isKept(place),
    loadKept: (table, place, options) => tables.loadKept(table, place, options),
    drop: (name) => tables.drop(name),
    explain: (sql, signal) => readPlan(query, sql, signal),
    async run(sql, signal) {
      for await (const _ of messages(sql, signal)) signal?.throwIfAborted();
    },
    get hasFailed() {
      return hasFailed;
    },
    async close() {
      if (!hasFailed) {
        connection.close();
        database.reset();
      }
      await spilled?.close();
    },
    async abandon() {
      await spilled?.close();
    },
  };
}

/**
 * Wraps the functions that DuckDB-WASM calls so that database files are found. DuckDB opens a file with a special flag
 * to test whether it exists. DuckDB-WASM 1.32 always reports the file as missing, so DuckDB would create a new database
 * in its place.
 */
function findingFiles({ NODE_RUNTIME: runtime, FileFlags }: Blocking): object {
  const openFile: typeof runtime.openFile = (module, file, flags) => {
    const path = runtime.resolveFileInfo(module, file)?.dataUrl;
    const isThere = typeof path === "string" && existsSync(path);
    return runtime.openFile(module, file, isThere ? flags & ~FileFlags.FILE_FLAGS_NULL_IF_NOT_EXISTS : flags);
  };
  return { ...runtime, openFile };
}

interface LoadedPackage {
  readonly engine: Blocking;
  readonly mainModule: string;
  readonly bytes: Buffer;
}

async function loadEngine(): Promise<LoadedPackage> {
  try {
    const file = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/blocking");
    const mainModule = join(dirname(file), "duckdb-eh.wasm");
    // The file is read while the program is loaded.
    const [bytes, engine] = await Promise.all([readFile(mainModule), loadProgram(file)]);
    return { engine, mainModule, bytes };
  } catch (cause) {
    throw new MissingDependencyError(
      "SQL needs the package @duckdb/duckdb-wasm: npm install @duckdb/duckdb-wasm@1.32.0",
      { cause },
    );
  }
}

/**
 * Loads the DuckDB-WASM program with this library's apache-arrow instead of an older version that has 140 files. Other
 * code that loads the program is not affected.
 */
async function loadProgram(file: string): Promise<Blocking> {
  const require = createRequire(file);
  const arrow = require.resolve("apache-arrow");
  const before = [file, arrow].map((name) => [name, require.cache[name]] as const);
  require.cache[arrow] = Object.assign(new Module(arrow), { exports: apacheArrow, loaded: true });
  delete require.cache[file];
  try {
    return require(file);
  } finally {
    for (const [name, module] of before) {
      if (module === undefined) delete require.cache[name];
      else require.cache[name] = module;
    }
  }
}
