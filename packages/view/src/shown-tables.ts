/**
 * A dataset's tables as the page shows them. Tables and columns have the names that they have in SQL, so that a column
 * name means the same in the page's filters and in statements.
 */

import type { Dataset, DataTable } from "annarrow";
import { createSqlTableNames, toSqlTable } from "annarrow/core/query";
import { findPositionColumn, listRenamedColumns, selectColumns } from "annarrow/core/tables";

/** Returns the name of the element that the page calls `name`. */
export function getShownElement(dataset: Dataset, name: string): string {
  for (const [element, shown] of createSqlTableNames(dataset)) if (shown === name) return element;
  return name;
}

/** Returns the table with its SQL names. The position column is left out, since the page shows it as row numbers. */
export function toShownTable(table: DataTable): DataTable {
  const inSql = toSqlTable(table);
  if (listRenamedColumns(inSql).length === 0) return table;
  const position = findPositionColumn(inSql);
  return selectColumns(
    inSql,
    inSql.schema.fields.flatMap(({ name }) => (name === position ? [] : [name])),
  );
}
