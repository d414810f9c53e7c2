/** Answers a statement about a dataset: the tables that it names are loaded into DuckDB, which runs it. */

import type { DataTable, TableSet } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { type DuckDBEngine, WITHOUT_FILES } from "../sinks/duckdb/engine.js";
import { refuseSameNames } from "../sinks/duckdb/held-types.js";
import type { SinkOptions } from "../sinks/stream.js";
import { hintFor } from "./hints.js";
import { type NamedTable, tablesNamedIn } from "./named-tables.js";
import { partialTable } from "./partial-table.js";
import { readsOf, type TableRead } from "./reads.js";

export interface QueryOptions extends SinkOptions {
  /** Names of tables that are loaded, and loaded whole, even if the statement does not name them. */
  readonly also?: readonly string[];
  /** Refuses statements that reach files or the network, or change settings. The engine stays confined. */
  readonly confined?: boolean;
  /** Reads every table that the statement names whole; false by default. */
  readonly whole?: boolean;
}

/**
 * Runs the statement over the tables of `dataset` that it names. The engine must have no tables of these names.
 * @returns the rows of the answer, as a table that can be read once, batch by batch.
 * @throws {InvalidInputError} with DuckDB's message, and with the known names where a name is unknown.
 * @example
 * ```ts
 * const answer = await answerStatement(dataset, "select count(*) from obs", await openDuckDB());
 * ```
 */
export async function answerStatement(
  dataset: TableSet,
  sql: string,
  engine: DuckDBEngine,
  options: QueryOptions = {},
): Promise<DataTable> {
  const { also = [], confined = false, ...sink } = options;
  const named = await tablesNamedIn(sql, dataset);
  const names = named.map(({ table }) => table.name);
  const others = also.filter((name) => !names.includes(name)).map((name) => dataset.table(name));
  refuseSameNames([...names, ...others.map(({ name }) => name)]);
  try {
    // A plan can open files, too.
    if (confined) await engine.run(WITHOUT_FILES);
    await readsFor(engine, sql, named, options, async (table) => {
      await engine.load(table, sink);
    });
    for (const table of others) await engine.load(table, sink);
    if (confined) await engine.run("set lock_configuration = true");
    return await engine.query(sql, options.signal);
  } catch (error) {
    throw withHint(error, sql, dataset, names);
  }
}

/**
 * Tells what `answerStatement` reads, and why. Tables that are no matrices are read for it, as DuckDB asks them for the
 * positions that matrices are read at.
 */
export async function explainStatement(
  dataset: TableSet,
  sql: string,
  engine: DuckDBEngine,
  options: QueryOptions = {},
): Promise<readonly TableRead[]> {
  const named = await tablesNamedIn(sql, dataset);
  const names = named.map(({ table }) => table.name);
  refuseSameNames(names);
  try {
    return await readsFor(engine, sql, named, options, async (table, isFrame) => {
      if (isFrame) await engine.load(table, options);
    });
  } catch (error) {
    throw withHint(error, sql, dataset, names);
  }
}

/** Chooses the reads of the statement, and calls `load` with what is read. */
async function readsFor(
  engine: DuckDBEngine,
  sql: string,
  named: readonly NamedTable[],
  { signal, whole = false, also = [] }: QueryOptions,
  load: (table: DataTable, isFrame: boolean) => Promise<void>,
): Promise<readonly TableRead[]> {
  const { frames, matrices } = await readsOf(engine, sql, named, { signal, wholeTables: whole ? "all" : also });
  for (const read of frames) await load(partialTable(read), true);
  const others = await matrices();
  for (const read of others) await load(partialTable(read), false);
  return [...frames, ...others];
}

/** DuckDB's error, with a hint where it says that a name is unknown. */
function withHint(error: unknown, sql: string, dataset: TableSet, tables: readonly string[]): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const hint = hintFor(error.problem, sql, dataset, tables);
  if (hint === null) return error;
  const problem = error.problem.replace(/ Did you mean.*/, "").replace(/(?<![!.?])$/, ".");
  return new InvalidInputError(`${problem} ${hint}`, { cause: error });
}
