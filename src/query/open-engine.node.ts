/** Opens the DuckDB that answers statements: the native one where it is installed, else DuckDB-WASM. */

import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { type DuckDBEngine, textLiteral, WITHOUT_FILES } from "../sinks/duckdb/engine.js";
import { nativePackages } from "../sinks/duckdb/node-api.node.js";
import { temporaryFolder, type WorkFolder } from "../targets/temporary-folder.node.js";

export type EngineChoice = DuckDBEngine["kind"] | "auto";

export interface EngineOptions {
  /** `auto` by default: native DuckDB where it is installed, else DuckDB-WASM. */
  readonly engine?: EngineChoice;
  /** Bytes that DuckDB may hold in memory, 512 MiB by default; what exceeds them goes into temporary files. */
  readonly memory?: number;
  /** Most bytes of temporary files; as many as the disk has room for by default. */
  readonly tempSize?: number;
  /** Whether statements may read and write the files of the machine, as `read_csv` does; false by default. */
  readonly files?: boolean;
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
    nativePackages();
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
  const { engine, memory = DEFAULT_MEMORY, tempSize, files = false } = options;
  if (!(memory >= LEAST_MEMORY)) {
    throw new InvalidInputError(`DuckDB needs at least 16 MiB of memory, not ${memory} bytes`);
  }
  if (chosenEngine(engine) === "wasm") {
    const opened = await (await import("../sinks/duckdb/duckdb.node.js")).openDuckDB();
    if (!files) await opened.run(WITHOUT_FILES);
    return opened;
  }
  const { openNativeDuckDB } = await import("../sinks/duckdb/native-database.node.js");
  const folder = await temporaryFolder(FOLDER);
  try {
    const limits = { memory, ...(tempSize === undefined ? {} : { tempSize }) };
    const opened = await openNativeDuckDB({ folder: folder.path, ...limits });
    // Large tables are views of Parquet files in the folder.
    if (!files) await opened.run(`set allowed_directories = [${textLiteral(folder.path)}]; ${WITHOUT_FILES}`);
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
