/** The derived table that lists a mapping, with its paths moved below another path. */

import type { Column } from "../arrow/column.js";
import { storedTexts, textValues } from "../arrow/text.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "./column-table.js";

/** Kinds of MATLAB values that contain others. */
const HOLDERS: ReadonlySet<string | null> = new Set(["struct", "cell", "object"]);

/** Replaces the path `from` by `to` in every row; structs, cells and objects are listed as mappings (`dict`). */
export function listingBelow(table: ColumnTable, from: string, to: string): ColumnTable {
  const places = ["path", "kind", "type"].map((name) => table.fields.findIndex((field) => field.name === name));
  const [path, kind, type] = places;
  if (places.includes(-1)) {
    throw new InvalidInputError("a derived table has the columns path, kind and type", { element: table.name });
  }
  return {
    ...table,
    name: to,
    asRead: null,
    layout: () => Promise.reject(new InvalidInputError("columns have one layout", { element: to })),
    async *batches(options) {
      for await (const { length, columns } of table.batches(options)) {
        const paths = texts(columns[path], table.name);
        const kinds = texts(columns[kind], table.name);
        const own = paths.map((one) => (one?.startsWith(`${from}/`) ? `${to}${one.slice(from.length)}` : one));
        const types = texts(columns[type], table.name);
        // A table has a type; the mapping itself is listed where it is empty.
        const isMapping = (i: number) => HOLDERS.has(kinds[i]) && types[i] === null && paths[i] !== from;
        const turned = kinds.map((one, i) => (isMapping(i) ? "dict" : one));
        yield {
          length,
          columns: columns.map((column, i) => changed(column, i === path ? own : i === kind ? turned : null)),
        };
      }
    },
  };
}

function texts(column: Column, element: string): readonly (string | null)[] {
  if (column.layout === "variable") return textValues(column);
  throw new InvalidInputError("the columns path, kind and type of a derived table are text", { element });
}

function changed(column: Column, values: readonly (string | null)[] | null): Column {
  if (values === null || column.layout !== "variable") return column;
  const { offsets, bytes } = storedTexts(values.map((one) => one ?? ""));
  return { ...column, offsets, bytes };
}
