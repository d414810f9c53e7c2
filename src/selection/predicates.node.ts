/** Evaluates SQL predicates with DuckDB in this process. */

import { once } from "../kernels/values/once.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError, NotFoundError } from "../model/errors.js";
import type { SqlPredicate } from "../model/selection.js";
import { answerStatement } from "../query/answer.js";
import { isStatementText } from "../query/statement-text.js";
import { openDuckDB } from "../sinks/duckdb/duckdb.node.js";
import { type DuckDBEngine, quoteSqlName } from "../sinks/duckdb/engine.js";
import { overrideTable } from "../tables/batch-table.js";
import { readAnswerPositions } from "./answered-positions.js";

/** Idle time in milliseconds after which DuckDB's memory is released. */
const IDLE = 30_000;

/**
 * Returns the positions that an SQL predicate selects:
 * - for a condition, the rows of `table` for which it is true, in ascending order,
 * - for a statement about `tables`, the values of its column `row` (`col` if `table` describes columns), in the order
 * of the result and with repeats.
 *
 * Only the data that the SQL text needs is read.
 * @throws {InvalidInputError} if DuckDB rejects the SQL text, with DuckDB's message and the list of available columns.
 * @throws {MissingDependencyError} if DuckDB is not installed.
 */
export async function querySqlPositions(
  table: DataTable,
  tables: () => Promise<ReadonlyMap<string, DataTable>>,
  { text }: SqlPredicate,
  signal: AbortSignal | undefined,
): Promise<Int32Array> {
  const engine = sharedEngine();
  if (isStatementText(text)) return engine.positions(datasetOf(await tables()), text, table.axis ?? "row", signal);
  const { name } = table;
  const dataset = datasetOf(new Map([[name, overrideTable(table, { axis: null })]]));
  // DuckDB numbers rows in the order in which they are loaded.
  const statement = `select rowid as position from ${quoteSqlName(name)} where (${text}\n) order by rowid`;
  try {
    return await engine.positions(dataset, statement, "position", signal);
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidInputError")) throw error;
    throw new InvalidInputError(`the condition ${text}: ${problemOf(error.problem, text, table)}`, { cause: error });
  }
}

/** Adds the available columns to DuckDB's message about a condition. */
function problemOf(problem: string, text: string, { name, schema }: DataTable): string {
  // The closing parenthesis after the condition was added here; the user did not write it.
  const told = text.includes(")") ? problem : problem.replace('at or near ")"', "at its end");
  const columns = `${name} has ${schema.fields.map((field) => field.name).join(", ")}`;
  return told.includes(`${name} has `) ? told : `${told}; ${columns}`;
}

/** All predicates of this process share one DuckDB, because starting it takes a second. */
const sharedEngine = once(() => new SharedEngine());

/** Runs statements one at a time. Each statement has access only to the tables of its own dataset. */
class SharedEngine {
  #engine: DuckDBEngine | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #end: NodeJS.Timeout | undefined;

  positions(
    dataset: TableSet,
    statement: string,
    column: string,
    signal: AbortSignal | undefined,
  ): Promise<Int32Array> {
    const found = this.#last.then(() => this.#positions(dataset, statement, column, signal));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #positions(
    dataset: TableSet,
    statement: string,
    column: string,
    signal: AbortSignal | undefined,
  ): Promise<Int32Array> {
    clearTimeout(this.#end);
    this.#engine ??= await openDuckDB();
    const engine = this.#engine;
    try {
      const answer = await answerStatement(dataset, statement, engine, { signal });
      const positions = await readAnswerPositions(answer, column);
      for (const name of dataset.tables.keys()) await engine.drop(name);
      // The timer does not keep the process.
      this.#end = setTimeout(() => void this.#close(), IDLE).unref();
      return positions;
    } catch (error) {
      // After an error, the engine may have lost its table or still be running a statement.
      await this.#close();
      throw error;
    }
  }

  async #close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = null;
    await engine?.close();
  }
}

function datasetOf(tables: ReadonlyMap<string, DataTable>): TableSet {
  return {
    ...{ format: "tables", version: "", container: "arrow", shape: null, source: [...tables.keys()].join(", ") },
    ...{ tables, failures: new Map(), warnings: [] },
    table(name) {
      const table = tables.get(name);
      if (table === undefined) throw new NotFoundError(`no table ${JSON.stringify(name)}`);
      return table;
    },
    close: async () => undefined,
  };
}
