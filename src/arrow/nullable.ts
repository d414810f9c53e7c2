/** nullable-integer, -boolean and -string-array: values and a mask <-> a column with validity. */

import { InvalidDataError } from "../errors.js";
import { firstNotBoolean, validityOfMask } from "../kernels/bitmap.js";
import { type Column, withValidity } from "./column.js";

/**
 * The values with the inverse of the mask (1 = missing) as validity.
 * What stands under the mask is not kept: it is whatever pandas left there.
 */
export function nullableColumn(values: Column, mask: Uint8Array): Column {
  if (mask.length !== values.length) {
    throw new InvalidDataError(`mask has ${mask.length} values, values have ${values.length}`);
  }
  const wrong = firstNotBoolean(mask);
  if (wrong >= 0) throw new InvalidDataError(`mask holds ${mask[wrong]} at ${wrong}, neither 0 nor 1`);
  return withValidity(values, validityOfMask(mask));
}
