/**
 * Plans a statement before anything is read: over stand-ins, which have the columns of the tables that it names and no
 * rows. Their columns have other names (`c0`, `c1`, …), so that a filter of a scan means a column of the table, whatever
 * names the statement gives to columns, and a view gives them the names that the statement knows.
 *
 * DuckDB knows which columns a join makes equal, and DuckDB's plan does not say it. Therefore each column of positions
 * gets a marker: a condition `<> number` with a number that is no position. DuckDB carries it to every scan whose rows
 * must have an equal value, and the filter of such a scan tells the table that it is joined with.
 */

import { DataType, Field, type RecordBatch, Schema, Table } from "apache-arrow";
import type { DataTable } from "../model/dataset.js";
import { type DuckDBEngine, quotedName, UNSOUND_OPTIMIZERS } from "../sinks/duckdb/engine.js";
import { recordBatch } from "../tables/record-batch.js";
import { rowlessTable } from "../tables/rowless.js";
import { selectColumns } from "../tables/table-columns.js";
import { tableInMemory } from "../tables/table-in-memory.js";
import type { NamedTable } from "./named-tables.js";
import { type PlanNode, planOf } from "./plan.js";

/** The first of the numbers that mark columns; each is lower by one than the number before. */
const FIRST_MARKER = -1_234_500_001;

export function markerOf(index: number): number {
  return FIRST_MARKER - index;
}

/** Stands in the place of a position that is null, and is none. */
const NO_POSITION = FIRST_MARKER + 1;

/**
 * A filter of a plan by expressions, where it means the positions of matrices. All other columns have no name in it, as a
 * filter above a scan may call them by names of the statement.
 */
export function filterOnPositions(filter: string): string {
  return filter.replace(EXPRESSION, (_, column: string | undefined) => column ?? "value");
}

const EXPRESSION = new RegExp(`COALESCE\\((c\\d+), ${NO_POSITION}\\)|\\bc\\d+\\b`, "gi");

/** Whether the statement has a number that could be taken for a marker. */
export function hasMarkers(sql: string): boolean {
  return sql.includes(String(FIRST_MARKER).slice(1, 6));
}

/** The name of the stand-in of the table `index`. */
const standIn = (index: number) => `annarrow stand-in ${index}`;

/** The table that a stand-in of this name stands for; undefined for other names. */
export function tableOfStandIn<T>(name: string, tables: readonly T[]): T | undefined {
  return tables.find((_, index) => standIn(index) === name);
}

/** The names of a table's columns in SQL, by their numbers in the stand-in. */
export function columnsInSql({ columns }: NamedTable): readonly string[] {
  return columns.map(quotedName);
}

/**
 * Optimizers that would use the number of rows of stand-ins and their values, or would hide filters: all others change a
 * statement in ways that hold for any rows.
 */
const DISABLED =
  "statistics_propagation, late_materialization, compressed_materialization, sampling_pushdown, in_clause";

/**
 * Plans the statement over stand-ins of `tables`, and removes the stand-ins again. Markers stand on the columns of
 * positions of tables, by the places of the tables in `tables`.
 * @param by whether the positions of matrices are columns of the stand-ins, or expressions: DuckDB calls a column in a
 * filter above a scan by any of its names in the statement, and an expression by its own text (`filterOnPositions`).
 * @throws {InvalidInputError} with DuckDB's message.
 */
export async function planOverStandIns(
  engine: DuckDBEngine,
  sql: string,
  tables: readonly NamedTable[],
  by: "columns" | "expressions",
  signal: AbortSignal | undefined,
): Promise<readonly PlanNode[]> {
  const made: string[] = [];
  try {
    for (const [index, { table, columns, entries, position }] of tables.entries()) {
      await engine.load(await standInOf(selectColumns(table, columns), standIn(index)));
      made.push(`table ${quotedName(standIn(index))}`);
      const marked = position === null ? -1 : columns.indexOf(position);
      const marker = marked === -1 ? "" : ` where c${marked} <> ${markerOf(index)}`;
      const isExpression = (name: string) => by === "expressions" && entries !== null && name !== "value";
      const renamed = columns
        .map((name, i) => `${isExpression(name) ? `coalesce(c${i}, ${NO_POSITION})` : `c${i}`} as ${quotedName(name)}`)
        .join(", ");
      await engine.run(
        `create view ${quotedName(table.name)} as select ${renamed} from ${quotedName(standIn(index))}${marker}`,
      );
      made.push(`view ${quotedName(table.name)}`);
    }
    await engine.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}, ${DISABLED}'`);
    return planOf(await engine.explain(sql, signal));
  } finally {
    await engine.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}'`);
    for (const one of made.reverse()) await engine.run(`drop ${one}`);
  }
}

/**
 * The columns of `table` as `c0`, `c1`, … without rows. Ordered categories come along: they are the values of an ENUM, by
 * whose order DuckDB plans comparisons.
 */
async function standInOf(table: DataTable, name: string): Promise<DataTable> {
  const schema = new Schema(table.schema.fields.map(({ type, nullable }, i) => new Field(`c${i}`, type, nullable)));
  const isOrdered = table.schema.fields.some(({ type }) => DataType.isDictionary(type) && type.isOrdered);
  if (!isOrdered) return tableInMemory(new Table(schema), name);
  const batches: RecordBatch[] = [];
  for await (const { data } of rowlessTable(table).batches()) batches.push(recordBatch(schema, 0, data.children));
  return tableInMemory(new Table(schema, batches), name);
}
