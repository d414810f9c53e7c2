/** Starts DuckDB-WASM from the files next to the page, in a separate worker. */

import { AsyncDuckDB, VoidLogger } from "@duckdb/duckdb-wasm";
import { asyncDuckDB, type DuckDBEngine, PageStatements } from "annarrow/view";

const at = (file: string) => new URL(`../duckdb/${file}`, import.meta.url).href;

/** Starts DuckDB on the first statement. */
export const duckdbStatements = (): PageStatements => new PageStatements(startDuckDB);

async function startDuckDB(): Promise<DuckDBEngine> {
  const worker = new Worker(at("duckdb-browser-eh.worker.js"));
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener("error", () =>
      reject(new Error("DuckDB cannot be started: its files in the folder duckdb/ beside the page are missing")),
    );
  });
  const database = new AsyncDuckDB(new VoidLogger(), worker);
  try {
    await Promise.race([database.instantiate(at("duckdb-eh.wasm")), failed]);
    await database.open({ path: ":memory:" });
    return await asyncDuckDB(await database.connect(), () => database.terminate());
  } catch (error) {
    await database.terminate();
    throw error;
  }
}
