/** Answers conditions in SQL by DuckDB in this process. */

import type { DataTable, TableSet } from "../model/dataset.js";
import type { SqlPredicate } from "../model/selection.js";
import { loadIntoDuckDB } from "../sinks/duckdb/duckdb.js";
import { openDuckDB } from "../sinks/duckdb/duckdb.node.js";
import { answerStatement, tablesNamedIn } from "../sinks/duckdb/statement.js";
import { plainTable } from "../tables/axes.js";

/**
 * The positions of the rows of `table` for which the condition holds, which rise. Only the columns that the condition
 * names are read.
 * @throws {InvalidInputError} with DuckDB's message, and the columns that there are.
 * @throws {MissingDependencyError} where DuckDB is not installed.
 */
export async function matchingSql(
  table: DataTable,
  { text }: SqlPredicate,
  signal: AbortSignal | undefined,
): Promise<Int32Array> {
  const { name } = table;
  // Rows have their number in DuckDB, in the order in which they are loaded.
  const statement = `select rowid as position from ${quoted(name)} where (${text}\n) order by rowid`;
  const dataset = datasetOf({ ...plainTable(table), axis: null });
  const named = await tablesNamedIn(statement, dataset);
  const database = await openDuckDB();
  try {
    await loadIntoDuckDB(dataset, database.connection, { ...named, ...(signal ? { signal } : {}) });
    const answer = await answerStatement(database, statement, { dataset, tables: [name] }, signal);
    const positions: number[] = [];
    for await (const batch of answer.batches()) {
      for (const position of batch.getChildAt(0) ?? []) positions.push(Number(position));
    }
    return Int32Array.from(positions);
  } finally {
    database.close();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
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
