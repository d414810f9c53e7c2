/** Answers conditions in SQL by DuckDB in this process. */

import { once } from "../kernels/values/once.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import type { SqlPredicate } from "../model/selection.js";
import { answerStatement } from "../query/answer.js";
import { openDuckDB } from "../sinks/duckdb/duckdb.node.js";
import { type DuckDBEngine, quotedName } from "../sinks/duckdb/engine.js";
import { plainTable } from "../tables/axes.js";

/** Milliseconds without a condition after which DuckDB's memory is given back. */
const IDLE = 30_000;

/**
 * The positions of the rows of `table` for which the condition holds, which rise. Only the columns that the condition
 * names are read.
 * @throws {InvalidInputError} with DuckDB's message, and the columns that there are.
 * @throws {MissingDependencyError} where DuckDB is not installed.
 */
export function matchingSql(
  table: DataTable,
  predicate: SqlPredicate,
  signal: AbortSignal | undefined,
): Promise<Int32Array> {
  return conditions().matching(table, predicate, signal);
}

/** All conditions of this process go to one DuckDB, because its start takes a second. */
const conditions = once(() => new Conditions());

/** Answers one condition after another: each has the only table of the database. */
class Conditions {
  #engine: DuckDBEngine | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #end: NodeJS.Timeout | undefined;

  matching(table: DataTable, predicate: SqlPredicate, signal: AbortSignal | undefined): Promise<Int32Array> {
    const found = this.#last.then(() => this.#matching(table, predicate, signal));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #matching(table: DataTable, { text }: SqlPredicate, signal: AbortSignal | undefined): Promise<Int32Array> {
    const { name } = table;
    // Rows have their number in DuckDB, in the order in which they are loaded.
    const statement = `select rowid as position from ${quotedName(name)} where (${text}\n) order by rowid`;
    const dataset = datasetOf({ ...plainTable(table), axis: null });
    clearTimeout(this.#end);
    this.#engine ??= await openDuckDB();
    const engine = this.#engine;
    try {
      const answer = await answerStatement(dataset, statement, engine, signal ? { signal } : {});
      const positions: number[] = [];
      for await (const batch of answer.batches()) {
        for (const position of batch.getChildAt(0) ?? []) positions.push(Number(position));
      }
      await engine.run(`drop table ${quotedName(name)}`);
      // The timer does not keep the process.
      this.#end = setTimeout(() => void this.#close(), IDLE).unref();
      return Int32Array.from(positions);
    } catch (error) {
      // An engine after an error may have lost its table, or may be in the middle of a statement.
      await this.#close();
      if (!isAnnarrowError(error, "InvalidInputError")) throw error;
      throw new InvalidInputError(`the condition ${text}: ${error.problem}`, { cause: error });
    }
  }

  async #close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = null;
    await engine?.close();
  }
}

/** A dataset of one table. */
function datasetOf(table: DataTable): TableSet {
  return {
    ...{ format: "tables", version: "", container: "arrow", shape: null, source: table.name },
    tables: new Map([[table.name, table]]),
    failures: new Map(),
    warnings: [],
    table: () => table,
    close: async () => undefined,
  };
}
