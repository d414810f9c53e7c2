/** Integers of any width as unsigned 32-bit ones. */

import { firstOutside } from "../kernels/sparse/indices.js";
import { toUint32 } from "../kernels/sparse/whole-numbers.js";
import { InvalidInputError } from "../model/errors.js";
import type { IntArray } from "../model/stored.js";
import type { Column } from "./column.js";
import { checkNoNulls } from "./name-ids.js";
import { typeText } from "./type.js";

/**
 * A column of integers as unsigned 32-bit ones, in its memory where that is possible.
 * @throws {InvalidInputError} for other types, a null, and a number that does not fit.
 */
export function unsignedValues(column: Column): Uint32Array {
  if (column.layout !== "primitive" || column.type.id !== "Int") {
    throw new InvalidInputError(`is ${typeText(column.type)}, not of integers`);
  }
  checkNoNulls(column);
  const { values, length } = column;
  if (values instanceof Float32Array || values instanceof Float64Array || values.length < length) {
    throw new InvalidInputError(`has ${values.length} integers in ${length} rows`);
  }
  const given = values.subarray(0, length);
  const { wide, wrong } = widened(given);
  if (wrong >= 0) throw new InvalidInputError(`is ${given[wrong]} at ${wrong}, outside 0 … ${2 ** 32 - 1}`);
  return wide;
}

/** @returns `wrong`: the place of the first number that does not fit, or -1. */
function widened(values: IntArray): { readonly wide: Uint32Array; readonly wrong: number } {
  if (values instanceof Uint32Array) return { wide: values, wrong: -1 };
  if (values instanceof Int32Array) {
    const wide = new Uint32Array(values.buffer, values.byteOffset, values.length);
    return { wide, wrong: firstOutside(values, 2 ** 31) };
  }
  const wide = new Uint32Array(values.length);
  return { wide, wrong: toUint32(values, wide) };
}
