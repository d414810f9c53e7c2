/** Reads the columns that describe an axis: its names, and the rows that meet a condition. */

import type { Column } from "../arrow/column.js";
import { decodeTextValues } from "../arrow/text.js";
import { describeArrowType } from "../arrow/type.js";
import { decodeDictionary } from "../arrow/written-values.js";
import type { DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnPredicate } from "../model/selection.js";
import type { ColumnTable } from "../tables/column-table.js";

/**
 * Returns the names in a one-column table. A missing name becomes an empty string.
 * @throws {InvalidInputError} if the names are neither text nor integers.
 */
export async function readNamesColumn(table: ColumnTable, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { columns } of table.batches({ signal })) {
    for (const name of textOf(columns[0], table.name)) names.push(name);
  }
  return names;
}

function textOf(column: Column, element: string): readonly string[] {
  switch (column.layout) {
    case "variable":
      return decodeTextValues(column).map((text) => text ?? "");
    case "dictionary":
      return textOf(decodeDictionary(column), element);
    case "primitive":
      if (column.type.id === "Int") return Array.from(column.values, String);
  }
  throw new InvalidInputError(`names of type ${describeArrowType(column.type)}`, { element });
}

/**
 * Returns the positions of the rows in `table` for which the condition holds, in ascending order. Only the condition's
 * columns are read.
 * @throws {NotFoundError} if the table lacks one of the columns.
 */
export async function findMatchingRows(
  table: DataTable,
  { columns, test }: ColumnPredicate,
  signal: AbortSignal | undefined,
): Promise<Int32Array> {
  const positions: number[] = [];
  let first = 0;
  for await (const batch of table.batches({ columns, signal })) {
    const vectors = columns.map((_, i) => batch.getChildAt(i));
    for (let row = 0; row < batch.numRows; row++) {
      if (test(...vectors.map((vector) => vector?.get(row)))) positions.push(first + row);
    }
    first += batch.numRows;
  }
  return Int32Array.from(positions);
}
