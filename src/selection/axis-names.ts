/** Reads the names of an axis as strings. */

import type { Column } from "../arrow/column.js";
import { textValues } from "../arrow/text.js";
import { typeText } from "../arrow/type.js";
import { decodedDictionary } from "../arrow/written-values.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";

/**
 * The names in a table of one column. A missing name is an empty string.
 * @throws {InvalidInputError} where the names are neither text nor integers.
 */
export async function namesIn(table: ColumnTable, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { columns } of table.batches(signal === undefined ? {} : { signal })) {
    for (const name of textOf(columns[0], table.name)) names.push(name);
  }
  return names;
}

function textOf(column: Column, element: string): readonly string[] {
  switch (column.layout) {
    case "variable":
      return textValues(column).map((text) => text ?? "");
    case "dictionary":
      return textOf(decodedDictionary(column), element);
    case "primitive":
      if (column.type.id === "Int") return Array.from(column.values, String);
  }
  throw new InvalidInputError(`names of type ${typeText(column.type)}`, { element });
}
