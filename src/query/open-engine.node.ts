/** Opens the DuckDB engine for statements: native DuckDB if it is installed, else DuckDB-WASM. */

import { createWorkFolder, planWorkFolder, type WorkFolder } from "../io/targets/temporary-folder.node.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { createFileAccessSql, type DuckDBEngine } from "../sinks/duckdb/engine.js";
import { loadNativeBindings } from "../sinks/duckdb/native-connection.node.js";

export type EngineChoice = DuckDBEngine["kind"] | "auto";

export interface EngineOptions {
  /** `auto` (the default) means native DuckDB if it is installed, otherwise DuckDB-WASM. */
  readonly engine?: EngineChoice;
  /**
   * Memory limit in bytes, 512 MiB by default. In native DuckDB it limits all memory, in DuckDB-WASM only the tables in
   * memory. Data that exceeds the limit is written to temporary files.
   */
  readonly memory?: number;
  /** Maximum size of temporary files in bytes. By default, the free disk space is the limit. */
  readonly tempSize?: number;
  /** Maximum size of a value, a row or a batch in an answer, in bytes; 64 MiB by default. */
  readonly maxCell?: number;
  /** Whether statements may read and write files on this machine, as `read_csv` does; false by default. */
  readonly files?: boolean;
  /** Folders in which DuckDB caches tables (`loadKept`). */
  readonly keptIn?: readonly string[];
}

/** Default number of bytes that DuckDB may hold in memory. */
const DEFAULT_MEMORY = 2 ** 29;

/** DuckDB does not start with less. */
const LEAST_MEMORY = 2 ** 24;

const FOLDER = "annarrow-query";

/** Determines which engine a choice means on this machine. */
export function pickEngineKind(choice: EngineChoice = "auto"): DuckDBEngine["kind"] {
  if (choice !== "auto") return choice;
  try {
    loadNativeBindings();
    return "native";
  } catch (error) {
    if (isAnnarrowError(error, "MissingDependencyError")) return "wasm";
    throw error;
  }
}

/**
 * Opens an empty database. Its temporary files are removed when it is closed.
 * @throws {MissingDependencyError} if the engine is not installed.
 * @throws {InvalidInputError} if `memory` is less than DuckDB needs.
 */
export async function openEngine(options: EngineOptions = {}): Promise<DuckDBEngine> {
  const { engine, memory = DEFAULT_MEMORY, tempSize, maxCell, files = false, keptIn = [] } = options;
  if (!(memory >= LEAST_MEMORY)) {
    throw new InvalidInputError(`DuckDB needs at least 16 MiB of memory, not ${memory} bytes`);
  }
  const limits = {
    memory,
    tempSize,
    maxCell,
  };
  if (pickEngineKind(engine) === "wasm") {
    const { openDuckDB } = await import("../sinks/duckdb/duckdb.node.js");
    const folder = await planWorkFolder(FOLDER);
    const opened = await openDuckDB({ folder, ...limits }, { extensions: files });
    if (!files) await opened.run(createFileAccessSql([folder.path, ...keptIn]));
    return opened;
  }
  const { openNativeDuckDB } = await import("../sinks/duckdb/native-database.node.js");
  const folder = await createWorkFolder(FOLDER);
  try {
    const opened = await openNativeDuckDB({ folder: folder.path, ...limits });
    if (!files) await opened.run(createFileAccessSql([folder.path, ...keptIn]));
    return removing(folder, opened);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** Wraps the engine so that closing it also removes the folder. */
function removing(folder: WorkFolder, engine: DuckDBEngine): DuckDBEngine {
  return {
    ...engine,
    async close() {
      await engine.close().finally(() => folder.remove());
    },
  };
}
