/**
 * The tables of a dataset as the page shows them: tables and columns have the names that statements know, so that a filter of
 * the page and a statement mean the same column.
 */

import type { Dataset, DataTable } from "../model/dataset.js";
import { namesInSql, tableInSql } from "../query/tables-in-sql.js";
import { renamedColumns } from "../tables/distinct-columns.js";
import { addedPosition, selectColumns } from "../tables/table-columns.js";

/** The name of the element that the page calls `name`. */
export function elementShownAs(dataset: Dataset, name: string): string {
  for (const [element, shown] of namesInSql(dataset)) if (shown === name) return element;
  return name;
}

/** Returns the table with its SQL names, without the position column, which the page shows as row numbers. */
export function shownTable(table: DataTable): DataTable {
  const inSql = tableInSql(table);
  if (renamedColumns(inSql).length === 0) return table;
  const position = addedPosition(inSql);
  return selectColumns(
    inSql,
    inSql.schema.fields.flatMap(({ name }) => (name === position ? [] : [name])),
  );
}
