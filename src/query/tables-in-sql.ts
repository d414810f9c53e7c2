/**
 * The tables of a dataset as statements see them. They have position columns, and no two names differ only in case,
 * which DuckDB ignores. A later duplicate of a table or column name gets a number (`layers/counts_1`, `batch_1`).
 */

import { makeDistinctNames } from "../kernels/text/names.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { renameTable } from "../tables/batch-table.js";
import { describeRenamedColumns, describeRenamedTable, makeColumnsDistinct } from "../tables/distinct-columns.js";
import { addPositionColumn } from "../tables/table-columns.js";
import { parseSqlNames } from "./names.js";

/** Maps the names of elements, including those that cannot be read, to table names in statements. */
export function createSqlTableNames({
  tables,
  failures,
}: Pick<TableSet<unknown>, "tables" | "failures">): ReadonlyMap<string, string> {
  const elements = [...tables.keys(), ...failures.keys()];
  const names = makeDistinctNames(elements);
  return new Map(elements.map((element, i) => [element, names[i]]));
}

/**
 * Returns a table as statements see it, under the name `name`.
 * @param reserved names of columns that the statement itself defines.
 */
export function toSqlTable(table: DataTable, name: string = table.name, reserved: readonly string[] = []): DataTable {
  return makeColumnsDistinct(addPositionColumn(renameTable(table, name)), reserved);
}

/** Returns warnings about tables in a statement that were renamed, or that have renamed columns. */
export function findRenamings(dataset: TableSet, sql: string): readonly string[] {
  const statement = parseSqlNames(sql);
  return [...createSqlTableNames(dataset)].flatMap(([element, name]) => {
    const table = dataset.tables.get(element);
    if (table === undefined || !statement.hasTable(name)) return [];
    const columns = describeRenamedColumns(toSqlTable(table, name));
    return [...(name === element ? [] : [describeRenamedTable(element, name)]), ...(columns === null ? [] : [columns])];
  });
}

/** Wraps the dataset so that its tables appear as statements see them. `table` adds positions; `tables` does not. */
export function toSqlDataset(dataset: TableSet): TableSet {
  const names = createSqlTableNames(dataset);
  const elements = new Map([...names].map(([element, name]) => [name, element]));
  const renamed = <T>(found: ReadonlyMap<string, T>) =>
    new Map([...found].map(([element, one]) => [names.get(element) ?? element, one]));
  return {
    ...dataset,
    tables: renamed(dataset.tables),
    failures: renamed(dataset.failures),
    table: (name) => toSqlTable(dataset.table(elements.get(name) ?? name), name),
    close: () => dataset.close(),
  };
}
