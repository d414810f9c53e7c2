/** Builds statements that return the positions or columns of matching table rows in a given order. */

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
 * Builds the statement that returns the positions of rows, starting at 0.
 * @throws {InvalidInputError} for a condition that is not a single expression.
 * @throws {NotFoundError} for a column that the table does not have.
 */
export function createPositionsStatement(table: NamedTable, condition: RowCondition): string {
  const { at, rest } = conditioned(table, condition);
  return `select cast(${at} as integer) as position from ${rest}`;
}

/**
 * Builds the statement that returns the columns of rows.
 * @throws the same errors as `createPositionsStatement`.
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
  // In SQL, the positions along an axis are a column. DuckDB reads only the rows that it needs from this column.
  const position = findPositionColumn({ schema });
  const at = quoteSqlName(position ?? POSITION);
  const from =
    position !== null
      ? quoteSqlName(name)
      : `(select *, row_number() over () - 1 as "${POSITION}" from ${quoteSqlName(name)})`;
  // If the condition ends with a comment, the line break ends the comment.
  const where = filter === undefined ? "" : ` where (${filter}\n)`;
  const order =
    sort === undefined ? "" : `${quoteSqlName(sort.column)} ${sort.descending ? "desc" : "asc"} nulls last, `;
  return { at, rest: `${from}${where} order by ${order}${at}` };
}

/** Position column for a table without an axis. Columns in files are unlikely to have this name. */
const POSITION = "annarrow view position";
