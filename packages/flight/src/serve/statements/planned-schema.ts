/** The schema of a statement's answer, as planned by DuckDB without running the statement. */

import type { DataTable } from "annarrow";
import { trimStatement } from "annarrow/core/query";
import type { DuckDBEngine } from "annarrow/core/sinks";
import { Field, Schema } from "apache-arrow";

/** Statements that DuckDB cannot describe, because their answers are descriptions. */
const DESCRIPTIONS = ["describe", "desc", "show", "explain"];

/**
 * @param sql one statement, without parameters.
 * @param first runs the first statement. Tables may be loaded before it.
 * @throws {InvalidInputError} with DuckDB's message.
 */
export async function readPlannedSchema(
  sql: string,
  engine: DuckDBEngine,
  first: (sql: string) => Promise<DataTable> = (text) => engine.query(text),
): Promise<Schema> {
  // After a trailing comment, a parenthesis would become part of the comment.
  const { verb, text } = trimStatement(sql);
  if (DESCRIPTIONS.includes(verb)) return (await first(sql)).schema;
  const described = await (await first(verb === "summarize" ? `describe (${text})` : `describe ${text}`)).read();
  const { schema } = await engine.query(`select * from (${text}) limit 0`);
  // DuckDB renames columns of a subquery if they have the same name.
  const names = [...(described.getChild("column_name") ?? [])].map(String);
  return new Schema(schema.fields.map(({ name, type, nullable }, i) => new Field(names[i] ?? name, type, nullable)));
}
