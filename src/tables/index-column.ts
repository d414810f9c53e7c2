/** The index of a dataframe as a column of text, where it is not stored already in a form of its own. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { decimals, textColumnOf } from "../arrow/text.js";
import { type ArrowField, typeText, UTF8 } from "../arrow/type.js";
import { decodedDictionary } from "../arrow/written-values.js";
import { bitAt } from "../kernels/values/bitmap.js";
import { RefusedError } from "../model/errors.js";
import type { FrameIndex } from "./frame-index.js";

/** The index of successive batches. */
export interface IndexSource {
  readonly field: ArrowField;
  /** @param start rows of the table before this batch. */
  column(batch: ColumnBatch, start: number): Column;
}

/**
 * The index as it is written. anndata makes text of the names of observations and variables.
 * @throws {InvalidInputError} where its values are neither text nor integers.
 */
export function indexSource(index: FrameIndex, fields: readonly ArrowField[], element: string): IndexSource {
  const { field: place, range } = index;
  const text: ArrowField = { name: index.name, type: UTF8, nullable: false };
  if (place === null) {
    const column = ({ length }: ColumnBatch, start: number) => positions(start, length, range);
    return { field: text, column };
  }
  const field = fields[place];
  if (field.metadata?.kind !== undefined) return { field, column: ({ columns }) => columns[place] };
  const { type } = field;
  if (type.id === "Utf8") return { field: text, column: ({ columns }) => columns[place] };
  if (type.id === "Dictionary" && type.value.id === "Utf8") {
    return { field: text, column: ({ columns }) => decoded(columns[place]) };
  }
  if (type.id === "Int") return { field: text, column: ({ columns }) => numerals(columns[place], element) };
  throw new RefusedError(
    `the index ${JSON.stringify(field.name)} is ${typeText(type)}; names are text: cast it to text`,
    { element },
  );
}

function positions(start: number, length: number, [first, step]: readonly [number, number]): Column {
  return decimals(first + step * start, step, length);
}

function decoded(column: Column): Column {
  return column.layout === "dictionary" ? decodedDictionary(column) : column;
}

function numerals(column: Column, element: string): Column {
  if (column.layout !== "primitive") throw new TypeError("integers expected");
  const { values, length, validity } = column;
  return textColumnOf(
    Array.from({ length }, (_, i) => {
      if (validity === null || bitAt(validity.bitmap, i)) return String(values[i]);
      throw new RefusedError(`row ${i} has no name in the index`, { element });
    }),
  );
}
