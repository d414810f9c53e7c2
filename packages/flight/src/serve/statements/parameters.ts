/** Prepared statements: the types of their parameters, and their values. */

import type { DataTable } from "annarrow";
import { InvalidInputError } from "annarrow";
import { inferParameterTypes } from "annarrow/core/query";
import type { DuckDBEngine } from "annarrow/core/sinks";
import { createBatchTable, recordBatch } from "annarrow/core/tables";
import { Field, Schema } from "apache-arrow";
import { readIpcStream } from "../../flight/messages/ipc-stream.js";

/** The name under which a statement with parameters is prepared. */
const PREPARED = "annarrow_prepared";
const VALUES = "annarrow_values";

/** Maximum number of rows of values. The statement runs once per row. */
const MAX_ROWS = 1000;

export function prepareQuery(sql: string): string {
  return `prepare ${PREPARED} as ${sql}`;
}

/**
 * Returns the prepared statement's parameters as DuckDB type names. The type is that of the column with which the
 * parameter is compared, otherwise VARCHAR.
 */
export async function readParameterTypes(engine: DuckDBEngine, sql: string): Promise<readonly string[]> {
  const prepared = await engine.query(
    `select len(parameter_types)::integer as n from duckdb_prepared_statements() where name = '${PREPARED}'`,
  );
  const count = Number((await prepared.read()).getChildAt(0)?.get(0) ?? 0);
  const columns = await engine.query("select column_name, data_type from duckdb_columns() where not internal");
  const types = new Map<string, string>();
  for (const row of await columns.read()) types.set(String(row.column_name).toLowerCase(), String(row.data_type));
  const told = inferParameterTypes(sql, types);
  return Array.from({ length: count }, (_, i) => told[i] ?? "VARCHAR");
}

/** Returns a statement whose result schema has the given parameter types. */
export function createParametersQuery(types: readonly string[]): string {
  return `select ${types.map((type, i) => `cast(null as ${type}) as "${i + 1}"`).join(", ")}`;
}

/** Returns the statement that executes the prepared statement with these values, which are SQL expressions. */
export function createExecuteStatement(values: readonly string[]): string {
  return `execute ${PREPARED}(${values.join(", ")})`;
}

/**
 * Loads values into DuckDB variables, which preserve all types.
 * @returns for each row of values, the expressions for its values.
 * @throws {InvalidInputError} if the number of values is not `count`, or for no rows or more than 1,000.
 */
export async function bindValues(engine: DuckDBEngine, bytes: Uint8Array, count: number): Promise<string[][]> {
  const table = await valuesTable(bytes);
  const columns = table.schema.fields.length;
  if (columns !== count) {
    throw new InvalidInputError(`the statement has ${count} parameters, and ${columns} values were bound`);
  }
  const rows = await engine.load(table);
  if (rows === 0 || rows > MAX_ROWS) {
    throw new InvalidInputError(`${rows} rows of values were bound; there must be 1 to ${MAX_ROWS}`);
  }
  const expressions: string[][] = [];
  for (let row = 0; row < rows; row++) {
    const names = Array.from({ length: count }, (_, i) => `annarrow_${row}_${i + 1}`);
    for (const [i, name] of names.entries()) {
      await engine.run(`set variable ${name} = (select "${i + 1}" from ${VALUES} limit 1 offset ${row})`);
    }
    expressions.push(names.map((name) => `getvariable('${name}')`));
  }
  await engine.run(`drop table ${VALUES}`);
  return expressions;
}

/** Creates a table from the values. Its columns are named by position, because clients choose arbitrary names. */
async function valuesTable(bytes: Uint8Array): Promise<DataTable> {
  const given = await readIpcStream([bytes]);
  const fields = given.schema.fields.map(({ type, nullable }, i) => new Field(`${i + 1}`, type, nullable));
  const schema = new Schema(fields);
  return createBatchTable({
    name: VALUES,
    schema,
    async *batches() {
      for await (const batch of given.batches) yield recordBatch(schema, batch.numRows, batch.data.children);
    },
  });
}
