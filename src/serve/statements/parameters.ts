/** Parameters of a statement: their types, as far as the statement determines them, and their values. */

import { Field, Schema } from "apache-arrow";
import { readIpcStream } from "../../flight/messages/ipc-stream.js";
import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { keyword, parseSqlTokens, type Token } from "../../query/tokens.js";
import type { DuckDBEngine } from "../../sinks/duckdb/engine.js";
import { createBatchTable } from "../../tables/batch-table.js";
import { recordBatch } from "../../tables/record-batch.js";

/** The name under which a statement with parameters is prepared. */
const PREPARED = "annarrow_prepared";
const VALUES = "annarrow_values";

/** Limit of the rows of values. The statement runs once per row. */
const MAX_ROWS = 1000;

/** Whether `sql` has a `?` or `$1`. */
export function hasParameters(sql: string): boolean {
  return parameterPlaces(parseSqlTokens(sql)).length > 0;
}

export function prepareQuery(sql: string): string {
  return `prepare ${PREPARED} as ${sql}`;
}

/**
 * Returns the parameters of the prepared statement, as DuckDB type names. The type is that of the column with which the
 * parameter is compared, else VARCHAR.
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

/** Returns a statement whose schema has the given parameter types. */
export function createParametersQuery(types: readonly string[]): string {
  return `select ${types.map((type, i) => `cast(null as ${type}) as "${i + 1}"`).join(", ")}`;
}

/** Returns the statement that runs the prepared statement with values, each of which is an expression. */
export function createExecuteStatement(values: readonly string[]): string {
  return `execute ${PREPARED}(${values.join(", ")})`;
}

/** Replaces each parameter of the statement by an expression. */
export function withValues(sql: string, values: readonly string[]): string {
  const tokens = parseSqlTokens(sql);
  let text = "";
  let from = 0;
  for (const { at, end, position } of parameterPlaces(tokens)) {
    text += sql.slice(from, tokens[at].start) + (values[position] ?? "null");
    from = tokens[end - 1].end;
  }
  return text + sql.slice(from);
}

/**
 * Loads values into variables of DuckDB, which keep all types.
 * @returns for each row of values, the expressions of its values.
 * @throws {InvalidInputError} for a number of values other than `count`, and for no rows or more than 1,000.
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

/** Makes a table of the values. Its columns are named by position, because clients choose arbitrary names. */
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

/** Words between a parameter and the column that it is compared with. */
const BETWEEN = new Set(["in", "like", "ilike", "between", "and", "not", "is", "distinct", "from"]);
const COMPARING = new Set(["=", "<", ">", "!", "(", ",", "?", "$"]);

/**
 * Infers parameter types from the statement where possible; DuckDB determines them only for statements with values.
 * @param columns DuckDB types by lower-case column name.
 */
export function inferParameterTypes(sql: string, columns: ReadonlyMap<string, string>): readonly (string | null)[] {
  const tokens = parseSqlTokens(sql);
  const types: (string | null)[] = [];
  for (const { at, end, position } of parameterPlaces(tokens)) {
    types[position] =
      castTo(tokens, at, end) ?? comparedAfter(tokens, end, columns) ?? comparedBefore(tokens, at, columns);
  }
  return Array.from(types, (type) => type ?? null);
}

/** Finds parameters: first token, the token after the parameter, and index among the values. */
function parameterPlaces(tokens: readonly Token[]): readonly { at: number; end: number; position: number }[] {
  let unnamed = 0;
  return tokens.flatMap((token, at) => {
    const next = tokens[at + 1];
    if (token.kind !== "symbol") return [];
    if (token.text === "?") return [{ at, end: at + 1, position: unnamed++ }];
    if (token.text !== "$" || next?.kind !== "literal" || !/^[1-9]\d{0,3}$/.test(next.text)) return [];
    return [{ at, end: at + 2, position: Number(next.text) - 1 }];
  });
}

/** The type in `?::date` and `cast(? as date)`. */
function castTo(tokens: readonly Token[], at: number, end: number): string | null {
  const [first, second, third] = tokens.slice(end, end + 3);
  const isCast = ["cast", "try_cast"].includes(keyword(tokens[at - 2])) && keyword(first) === "as";
  const type = first?.text === ":" && second?.text === ":" ? third : isCast ? second : undefined;
  return type?.kind === "word" ? type.text : null;
}

function comparedAfter(tokens: readonly Token[], end: number, columns: ReadonlyMap<string, string>): string | null {
  let at = end;
  while (tokens[at]?.kind === "symbol" && ["=", "<", ">", "!"].includes(tokens[at].text)) at++;
  return at === end ? null : columnType(tokens[at], columns);
}

function comparedBefore(tokens: readonly Token[], start: number, columns: ReadonlyMap<string, string>): string | null {
  for (let at = start - 1; at >= 0; at--) {
    const token = tokens[at];
    if (["limit", "offset"].includes(keyword(token))) return "BIGINT";
    if (token.kind === "literal" || BETWEEN.has(keyword(token))) continue;
    if (token.kind === "symbol" && COMPARING.has(token.text)) continue;
    return columnType(token, columns);
  }
  return null;
}

function columnType(token: Token | undefined, columns: ReadonlyMap<string, string>): string | null {
  const isName = token?.kind === "word" || token?.kind === "quoted";
  return isName ? (columns.get(token.text.toLowerCase()) ?? null) : null;
}
