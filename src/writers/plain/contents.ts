/** The groups that the table `/` lists, with their attributes. */

import { textValues } from "../../arrow/text.js";
import { InvalidInputError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type RowsContext, rowsOf } from "../../tables/rows.js";
import type { PlainAttributes } from "./attributes.js";

/**
 * Reads the groups by their paths, the root as the empty text.
 * @throws {InvalidInputError} where the columns are no text.
 */
export async function groupsIn(table: ColumnTable, cx: RowsContext): Promise<ReadonlyMap<string, PlainAttributes>> {
  const found = new Map<string, PlainAttributes>();
  const places = ["path", "kind", "attributes"].map((name) => table.fields.findIndex((field) => field.name === name));
  if (places.includes(-1)) return found;
  for await (const { columns } of rowsOf(table, cx)) {
    const [paths, kinds, attributes] = places.map((place) => {
      const column = columns[place];
      if (column.layout === "variable") return textValues(column);
      throw new InvalidInputError("the columns path, kind and attributes are text", { element: table.name });
    });
    for (const [i, path] of paths.entries()) {
      if (path === null || kinds[i] !== "group") continue;
      found.set(path === "/" ? "" : path, parsed(attributes[i]));
    }
  }
  return found;
}

function parsed(json: string | null): PlainAttributes {
  if (json === null) return {};
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
