/** What the table `/` lists: groups with their attributes, and dimensions without values. */

import type { Column } from "../../arrow/column.js";
import { textValues } from "../../arrow/text.js";
import { InvalidInputError } from "../../model/errors.js";
import { isJsonObject, readJson } from "../../model/json-object.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type RowsContext, rowsOf } from "../../tables/rows.js";
import type { PlainAttributes } from "./attributes.js";

export interface Listed {
  /** The attributes of the groups by their paths, the root as the empty text. */
  readonly groups: Map<string, PlainAttributes>;
  /** The lengths of dimensions without values, by their paths. */
  readonly dimensions: Map<string, number>;
}

/** @throws {InvalidInputError} where the columns are no text. */
export async function listedIn(table: ColumnTable, cx: RowsContext): Promise<Listed> {
  const listed: Listed = { groups: new Map(), dimensions: new Map() };
  const place = (name: string) => table.fields.findIndex((field) => field.name === name);
  const places = ["path", "kind", "attributes"].map(place);
  if (places.includes(-1)) return listed;
  for await (const { columns } of rowsOf(table, cx)) {
    const [paths, kinds, attributes] = places.map((at) => {
      const column = columns[at];
      if (column.layout === "variable") return textValues(column);
      throw new InvalidInputError("the columns path, kind and attributes are text", { element: table.name });
    });
    const shapes = columns[place("shape")];
    for (const [i, path] of paths.entries()) {
      if (path === null) continue;
      if (kinds[i] === "group") listed.groups.set(path === "/" ? "" : path, parsed(attributes[i]));
      const length = kinds[i] === "dimension" ? lengthAt(shapes, i) : null;
      if (length !== null) listed.dimensions.set(path, length);
    }
  }
  return listed;
}

/** The only item of a list; null where there is another number of them, or it is no length. */
function lengthAt(shapes: Column | undefined, row: number): number | null {
  if (shapes?.layout !== "list" || shapes.child.layout !== "primitive") return null;
  const [start, end] = [shapes.offsets[row], shapes.offsets[row + 1]];
  const length = end - start === 1 ? Number(shapes.child.values[start]) : Number.NaN;
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}

function parsed(json: string | null): PlainAttributes {
  if (json === null) return {};
  try {
    const value: unknown = readJson(json);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
