/** Opens the DuckDB that answers statements: the native one where it is installed, else DuckDB-WASM. */

import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { type DuckDBEngine, withoutFilesBut } from "../sinks/duckdb/engine.js";
import { nativeBindings } from "../sinks/duckdb/native-connection.node.js";
import { plannedFolder, temporaryFolder, type WorkFolder } from "../targets/temporary-folder.node.js";

export type EngineChoice = DuckDBEngine["kind"] | "auto";

export interface EngineOptions {
  /** `auto` by default: native DuckDB where it is installed, else DuckDB-WASM. */
  readonly engine?: EngineChoice;
  /**
   * 512 MiB by default. Native DuckDB holds so many bytes in memory, DuckDB-WASM tables of so many bytes; what exceeds them
   * goes into temporary files.
   */
  readonly memory?: number;
  /** Most bytes of temporary files; as many as the disk has room for by default. */
  readonly tempSize?: number;
  /** Most bytes of a value, of a row and of a batch of an answer; 64 MiB by default. */
  readonly maxCell?: number;
  /** Whether statements may read and write the files of the machine, as `read_csv` does; false by default. */
  readonly files?: boolean;
  /** Folders in which DuckDB keeps tables (`loadKept`). */
  readonly keptIn?: readonly string[];
}

/** Bytes that DuckDB may hold in memory, where nothing else is asked for. */
const DEFAULT_MEMORY = 2 ** 29;

/** DuckDB does not start with less. */
const LEAST_MEMORY = 2 ** 24;

/** The name of the temporary folders. */
const FOLDER = "annarrow-query";

/** The engine that a choice means on this machine. */
export function chosenEngine(choice: EngineChoice = "auto"): DuckDBEngine["kind"] {
  if (choice !== "auto") return choice;
  try {
    nativeBindings();
    return "native";
  } catch (error) {
    if (isAnnarrowError(error, "MissingDependencyError")) return "wasm";
    throw error;
  }
}

/**
 * Opens an empty database, whose temporary files are removed when it is closed.
 * @throws {MissingDependencyError} where the engine is not installed.
 * @throws {InvalidInputError} for less memory than DuckDB needs.
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
  if (chosenEngine(engine) === "wasm") {
    const { openDuckDB } = await import("../sinks/duckdb/duckdb.node.js");
    const folder = await plannedFolder(FOLDER);
    const opened = await openDuckDB({ folder, ...limits }, { extensions: files });
    if (!files) await opened.run(withoutFilesBut([folder.path, ...keptIn]));
    return opened;
  }
  const { openNativeDuckDB } = await import("../sinks/duckdb/native-database.node.js");
  const folder = await temporaryFolder(FOLDER);
  try {
    const opened = await openNativeDuckDB({ folder: folder.path, ...limits });
    if (!files) await opened.run(withoutFilesBut([folder.path, ...keptIn]));
    return removing(folder, opened);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The engine, which removes the folder when it is closed. */
function removing(folder: WorkFolder, engine: DuckDBEngine): DuckDBEngine {
  return {
    ...engine,
    async close() {
      await engine.close().finally(() => folder.remove());
    },
  };
}
