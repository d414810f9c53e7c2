/** Loads parquet-wasm. This is the only module that does so. */

import { MissingDependencyError } from "../../model/errors.js";

export type ParquetEngine = typeof import("parquet-wasm");

/** The engine, loaded once. A failed load is retried. */
const engine: { loading: Promise<ParquetEngine> | null } = { loading: null };

/**
 * Loads parquet-wasm and instantiates it once.
 * @throws {MissingDependencyError} if the package is not installed.
 */
export function loadParquetEngine(): Promise<ParquetEngine> {
  engine.loading ??= load().catch((error: unknown) => {
    engine.loading = null;
    throw error;
  });
  return engine.loading;
}

async function load(): Promise<ParquetEngine> {
  let loaded: ParquetEngine;
  try {
    loaded = await import("parquet-wasm");
  } catch (cause) {
    throw new MissingDependencyError("Parquet needs the package parquet-wasm: npm install parquet-wasm", { cause });
  }
  // In Node, the module is ready to use. The browser build has a default export that fetches the WebAssembly.
  if ("default" in loaded && typeof loaded.default === "function") await loaded.default();
  return loaded;
}
