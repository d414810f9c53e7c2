/** Omits the table or column that a writer refused, and writes the others again, if the caller allows losses. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { createTextColumn, decodeTextValues } from "../../arrow/text.js";
import { type AnnarrowError, isUnsupportedOrInvalid } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { findFrameIndex } from "../../tables/frame-index.js";
import { selectTableColumns } from "../../tables/reshaped-tables.js";

type Tables = ReadonlyMap<string, ColumnTable>;

export interface Rest {
  readonly tables: Tables;
  readonly warning: string;
}

/**
 * Returns the tables without the table or the column that `error` names. Returns null if `error` names neither, if
 * nothing is left, or if one of the tables can be read only once.
 */
export function removeUnsupportedTable(
  tables: Tables,
  error: unknown,
  index: Readonly<Record<string, string>> = {},
): Rest | null {
  if (!isUnsupportedOrInvalid(error) || error.table === undefined) return null;
  const path = error.table;
  const table = tables.get(path);
  const rest = new Map<string, ColumnTable>();
  let isThere = false;
  for (const [name, one] of tables) {
    const isRefused = name === path || name.startsWith(`${path}/`);
    isThere ||= isRefused;
    const part = name === path && table !== undefined ? withoutColumn(table, error.column, index[path]) : null;
    if (part !== null) rest.set(name, part);
    else if (!isRefused) rest.set(name, one.derived ? unlisted(one, path) : one);
  }
  const isListed = [...tables.values()].some(({ name, derived }) => derived && path.startsWith(`${name}/`));
  const left = [...rest.values()].filter(({ derived }) => !derived);
  if ((!isThere && !isListed) || left.length === 0 || left.some(({ repeatable }) => !repeatable)) return null;
  return { tables: rest, warning: `left out: ${named(error, path, table)}: ${error.problem}` };
}

function named({ element, column }: AnnarrowError, path: string, table: ColumnTable | undefined): string {
  const name = column === undefined ? undefined : table?.fields[column]?.name;
  if (name !== undefined) return `${path}/${name}`;
  return element?.endsWith(path) || element?.startsWith(path) ? element : path;
}

/** Returns the table without a column; null if the column is its only column or its index. */
function withoutColumn(table: ColumnTable, column: number | undefined, index: string | undefined): ColumnTable | null {
  if (column === undefined || table.fields.length < 2 || table.derived) return null;
  if (findFrameIndex(table, index).field === column) return null;
  const left = table.fields.flatMap((field, place) => (place === column ? [] : [{ place, field }]));
  return { ...selectTableColumns(table, table.name, left, table.metadata), schemaMetadata: table.schemaMetadata };
}

/** Returns a derived table without the entries for `path` and everything below it. */
function unlisted(table: ColumnTable, path: string): ColumnTable {
  const place = table.fields.findIndex((field) => field.name === "path");
  if (place < 0 || !path.startsWith(`${table.name}/`)) return table;
  const mappings = withoutKey(table.metadata?.mappings, path);
  return {
    ...table,
    metadata: table.metadata === null || mappings === null ? table.metadata : { ...table.metadata, mappings },
    layout: (layout) => table.layout(layout),
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const batch of table.batches(options)) {
        const columns = batch.columns.map((column, i) => (i === place ? blanked(column, path) : column));
        yield { ...batch, columns };
      }
    },
  };
}

/** Sets `path` and all paths below it to null. Writers skip entries without a path. */
function blanked(column: Column, path: string): Column {
  if (column.layout !== "variable") return column;
  const isBelow = (text: string | null) => text === path || text?.startsWith(`${path}/`) === true;
  return createTextColumn(decodeTextValues(column).map((text) => (isBelow(text) ? null : text)));
}

function withoutKey(mappings: unknown, path: string): Readonly<Record<string, unknown>> | null {
  if (typeof mappings !== "object" || mappings === null) return null;
  return Object.fromEntries(Object.entries(mappings).filter(([key]) => key !== path && !key.startsWith(`${path}/`)));
}
