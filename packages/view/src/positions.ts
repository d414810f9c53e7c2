/** Statements for the positions or columns of table rows that match a condition, in a given order. */

import type { DataTable } from "annarrow";
import { checkExpression } from "annarrow/core/query";
import { quoteSqlName } from "annarrow/core/sinks";
import { findPositionColumn, projectSchema } from "annarrow/core/tables";

export interface RowOrder {
  readonly column: string;
  readonly descending: boolean;
}

export interface RowCondition {
  readonly filter?: string | undefined;
  readonly sort?: RowOrder | undefined;
}

/** The properties of a table that statements use. */
type NamedTable = Pick<DataTable, "name" | "schema">;

/**
 * The statement for the positions of rows, from 0 on.
 * @throws {InvalidInputError} for a condition that is no single expression.
 * @throws {NotFoundError} for a column that the table does not have.
 */
export function createPositionsStatement(table: NamedTable, condition: RowCondition): string {
  const { at, rest } = conditioned(table, condition);
  return `select cast(${at} as integer) as position from ${rest}`;
}

/**
 * Builds the statement that returns the columns of rows.
 * @throws the errors of `createPositionsStatement`.
 */
export function createRowsStatement(table: NamedTable, condition: RowCondition): string {
  const position = findPositionColumn(table);
  const own = table.schema.fields.filter(({ name }) => name !== position);
  const columns = own.map(({ name }) => quoteSqlName(name)).join(", ");
  return `select ${columns} from ${conditioned(table, condition).rest}`;
}

/** Returns the position expression, and the SQL text after `from`. */
function conditioned({ name, schema }: NamedTable, { filter, sort }: RowCondition) {
  if (filter !== undefined) checkExpression(filter);
  if (sort !== undefined) projectSchema(schema, [sort.column], name);
  // A statement sees the positions along an axis as a column. DuckDB gets only those rows of the column that it needs.
  const position = findPositionColumn({ schema });
  const at = quoteSqlName(position ?? POSITION);
  const from =
    position !== null
      ? quoteSqlName(name)
      : `(select *, row_number() over () - 1 as "${POSITION}" from ${quoteSqlName(name)})`;
  // A line break ends a comment at the end of the condition.
  const where = filter === undefined ? "" : ` where (${filter}\n)`;
  const order =
    sort === undefined ? "" : `${quoteSqlName(sort.column)} ${sort.descending ? "desc" : "asc"} nulls last, `;
  return { at, rest: `${from}${where} order by ${order}${at}` };
}

/** Position column of a table without an axis. The name should not collide with columns of the file. */
const POSITION = "annarrow view position";
