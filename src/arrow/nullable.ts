/** Converts nullable-integer, -boolean and -string-array (values and a mask) to columns with validity, and back. */

import { firstNotBoolean, unpackBits, validityOfMask } from "../kernels/values/bitmap.js";
import { InvalidDataError } from "../model/errors.js";
import type { FixedValues, StoredValues } from "../model/stored.js";
import { type Column, withValidity } from "./column.js";
import type { WrittenForm } from "./written-type.js";
import { storedValues } from "./written-values.js";

/**
 * Makes a column of values whose validity is the inverse of the mask (1 = missing). The values under the mask are
 * dropped: they are arbitrary values that pandas left there.
 */
export function nullableColumn(values: Column, mask: Uint8Array): Column {
  if (mask.length !== values.length) {
    throw new InvalidDataError(`mask has ${mask.length} values, values have ${values.length}`);
  }
  const wrong = firstNotBoolean(mask);
  if (wrong >= 0) throw new InvalidDataError(`mask holds ${mask[wrong]} at ${wrong}, neither 0 nor 1`);
  return withValidity(values, validityOfMask(mask));
}

/** Splits a column into values (zero, false or empty where one is missing) and the mask (1 = missing). */
export function nullableValues(
  form: WrittenForm,
  column: Column,
): { readonly values: StoredValues; readonly mask: FixedValues } {
  return { values: storedValues(form, column, "fill"), mask: { kind: "fixed", values: missingMask(column) } };
}

/** 1 where a value is missing, else 0. */
export function missingMask({ layout, length, validity }: Column): Uint8Array {
  if (layout === "null") return new Uint8Array(length).fill(1);
  if (validity === null || validity.nullCount === 0) return new Uint8Array(length);
  const mask = unpackBits(validity.bitmap, length);
  for (let i = 0; i < length; i++) mask[i] ^= 1;
  return mask;
}
