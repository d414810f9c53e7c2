/** Tables of coordinates: `row`, `col`, `value`, in any order of columns. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, typeText } from "../../arrow/type.js";
import { InvalidInputError } from "../../model/errors.js";
import type { IntArray } from "../../model/stored.js";

export const COORDINATES = ["row", "col", "value"] as const;

/** The places of the three columns among the fields; null for another table. */
export function coordinatesOf(
  fields: readonly ArrowField[],
): readonly [row: number, col: number, value: number] | null {
  if (fields.length !== 3) return null;
  const [row, col, value] = COORDINATES.map((name) => fields.findIndex((field) => field.name === name));
  const found = row >= 0 && col >= 0 && value >= 0;
  return found && fields[row].type.id === "Int" && fields[col].type.id === "Int" ? [row, col, value] : null;
}

/** Positions as integers. @throws {InvalidInputError} for other types, and for a null. */
export function intValues(column: Column, name: string, element: string): IntArray {
  const { type, validity, length } = column;
  if (column.layout !== "primitive" || type.id !== "Int") {
    throw new InvalidInputError(`${name} is ${typeText(type)}, positions are integers`, { element });
  }
  if (validity !== null && validity.nullCount > 0) {
    throw new InvalidInputError(`${validity.nullCount} of ${length} values of ${name} are missing`, { element });
  }
  const { values } = column;
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("integers are integers");
  return values.length === length ? values : values.subarray(0, length);
}
