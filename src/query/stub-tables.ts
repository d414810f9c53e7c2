/**
 * Plans a statement over stand-in tables before anything is read. A stand-in has the columns of the table that the
 * statement names, but no rows. The columns are called `c0`, `c1`, …, so that a filter in a scan always refers to a
 * column of the table, regardless of the names that the statement gives to columns. A view maps these names to the
 * names that the statement uses.
 *
 * DuckDB knows which columns a join makes equal, but its plan does not show this. Each column of positions therefore
 * gets a marker: a condition `<> number` with a number that is not a position. DuckDB propagates the marker to every
 * scan whose rows must have an equal value. The filter of such a scan then identifies the joined table.
 */

import { DataType, Field, type RecordBatch, Schema, Table } from "apache-arrow";
import type { DataTable } from "../model/dataset.js";
import { type DuckDBEngine, quoteSqlName, UNSOUND_OPTIMIZERS } from "../sinks/duckdb/engine.js";
import { recordBatch } from "../tables/record-batch.js";
import { toRowlessTable } from "../tables/rowless.js";
import { selectColumns } from "../tables/table-columns.js";
import { createMemoryTable } from "../tables/table-in-memory.js";
import type { NamedTable } from "./named-tables.js";
import { type PlanNode, parseQueryPlan } from "./plan.js";

/** The first column's marker. Each further marker is lower by one. */
const FIRST_MARKER = -1_234_500_001;

export function getPositionMarker(index: number): number {
  return FIRST_MARKER - index;
}

/** The value that replaces a null position. It is not a valid position. */
const NO_POSITION = FIRST_MARKER + 1;

/**
 * Rewrites a filter from a plan by expressions, so that positions of matrices are the only columns to which it refers
 * by name. All other columns become `value`, because a filter above a scan may use the statement's names for them.
 */
export function filterOnPositions(filter: string): string {
  return filter.replace(EXPRESSION, (_, column: string | undefined) => column ?? "value");
}

const EXPRESSION = new RegExp(`COALESCE\\((c\\d+), ${NO_POSITION}\\)|\\bc\\d+\\b`, "gi");

/** Whether the statement contains a number that could be confused with a marker. */
export function hasMarkers(sql: string): boolean {
  return sql.includes(String(FIRST_MARKER).slice(1, 6));
}

const standIn = (index: number) => `annarrow stand-in ${index}`;

/** Returns the table that the stand-in with this name replaces; undefined for other names. */
export function findStubTable<T>(name: string, tables: readonly T[]): T | undefined {
  return tables.find((_, index) => standIn(index) === name);
}

/** Returns the quoted names of a table's columns, in the order of its stand-in's columns. */
export function listSqlColumns({ columns }: NamedTable): readonly string[] {
  return columns.map(quoteSqlName);
}

/**
 * Optimizers that would use the number of rows and the values in stand-ins, or would hide filters. All other optimizers
 * change a statement in ways that are valid for any rows.
 */
const DISABLED =
  "statistics_propagation, late_materialization, compressed_materialization, sampling_pushdown, in_clause";

/**
 * Plans the statement over stand-ins for `tables`, and removes the stand-ins again. The position columns get markers,
 * which are numbered by the index of their table in `tables`.
 * @param by whether the positions of matrices are columns of the stand-ins, or expressions. In a filter above a scan,
 * DuckDB refers to a column by any of the column's names in the statement, but to an expression by the text of the
 * expression (`filterOnPositions`).
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
      made.push(`table ${quoteSqlName(standIn(index))}`);
      const marked = position === null ? -1 : columns.indexOf(position);
      const marker = marked === -1 ? "" : ` where c${marked} <> ${getPositionMarker(index)}`;
      const isExpression = (name: string) => by === "expressions" && entries !== null && name !== "value";
      const renamed = columns
        .map(
          (name, i) => `${isExpression(name) ? `coalesce(c${i}, ${NO_POSITION})` : `c${i}`} as ${quoteSqlName(name)}`,
        )
        .join(", ");
      await engine.run(
        `create view ${quoteSqlName(table.name)} as select ${renamed} from ${quoteSqlName(standIn(index))}${marker}`,
      );
      made.push(`view ${quoteSqlName(table.name)}`);
    }
    await engine.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}, ${DISABLED}'`);
    return parseQueryPlan(await engine.explain(sql, signal));
  } finally {
    await engine.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}'`);
    for (const one of made.reverse()) await engine.run(`drop ${one}`);
  }
}

/**
 * Returns the columns of `table` as `c0`, `c1`, … without rows. Ordered categories are included, because they are the
 * values of an ENUM, and DuckDB uses their order to plan comparisons.
 */
async function standInOf(table: DataTable, name: string): Promise<DataTable> {
  const schema = new Schema(table.schema.fields.map(({ type, nullable }, i) => new Field(`c${i}`, type, nullable)));
  const isOrdered = table.schema.fields.some(({ type }) => DataType.isDictionary(type) && type.isOrdered);
  if (!isOrdered) return createMemoryTable(new Table(schema), name);
  const batches: RecordBatch[] = [];
  for await (const { data } of toRowlessTable(table).batches()) batches.push(recordBatch(schema, 0, data.children));
  return createMemoryTable(new Table(schema, batches), name);
}
