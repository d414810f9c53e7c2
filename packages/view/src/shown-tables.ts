/**
 * The tables of a dataset as the page shows them: tables and columns have the names that statements know, so that a filter of
 * the page and a statement mean the same column.
 */

import type { Dataset, DataTable } from "annarrow";
import { createSqlTableNames, toSqlTable } from "annarrow/core/query";
import { findPositionColumn, listRenamedColumns, selectColumns } from "annarrow/core/tables";

/** The name of the element that the page calls `name`. */
export function getShownElement(dataset: Dataset, name: string): string {
  for (const [element, shown] of createSqlTableNames(dataset)) if (shown === name) return element;
  return name;
}

/** Returns the table with its SQL names, without the position column, which the page shows as row numbers. */
export function toShownTable(table: DataTable): DataTable {
  const inSql = toSqlTable(table);
  if (listRenamedColumns(inSql).length === 0) return table;
  const position = findPositionColumn(inSql);
  return selectColumns(
    inSql,
    inSql.schema.fields.flatMap(({ name }) => (name === position ? [] : [name])),
  );
}
