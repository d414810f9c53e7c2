/** Converts columns to R values: integers, doubles and logicals, in which one value is NA. */

import type { Column } from "annarrow/core/arrow";
import { describeArrowType } from "annarrow/core/arrow";
import { decodeFloat16, isBitSet, NA_INTEGER, putMissingReal, unpackBits } from "annarrow/core/kernels";
import { type NumberArray, UnsupportedElementError, viewAsBytes } from "annarrow/core/model";

/** All integers up to this one can be represented exactly as doubles. */
const EXACT = 2 ** 53;

/** Returns the values in a column of booleans or numbers, one per row. */
export function toNumberArray(column: Column): NumberArray {
  if (column.layout !== "primitive") throw new TypeError(`${describeArrowType(column.type)} are no numbers`);
  if (column.type.id === "Bool") return unpackBits(viewAsBytes(column.values), column.length);
  return column.values.subarray(0, column.length);
}

/** Returns `values` with nulls replaced by `missing`, which is R's NA by default. */
export function withMissing(values: Int32Array, { validity, length }: Column, missing = NA_INTEGER): Int32Array {
  if (validity === null || validity.nullCount === 0) return values;
  for (let i = 0; i < length; i++) if (!isBitSet(validity.bitmap, i)) values[i] = missing;
  return values;
}

/** Returns `values` with nulls replaced by R's NA. */
export function withMissingReals(values: Float64Array, { validity, length }: Column): Float64Array {
  if (validity === null || validity.nullCount === 0) return values;
  for (let i = 0; i < length; i++) if (!isBitSet(validity.bitmap, i)) putMissingReal(values, i);
  return values;
}

/** Converts integers of at most 32 bits. @param refuse makes the error for the integer that means NA in R. */
export function toIntegers(column: Column, refuse?: () => Error): Int32Array {
  const { validity } = column;
  const values = Int32Array.from(toNumberArray(column), Number);
  const isNA = (value: number, i: number) =>
    value === NA_INTEGER && (validity === null || isBitSet(validity.bitmap, i));
  if (refuse !== undefined && values.some(isNA)) throw refuse();
  return withMissing(values, column);
}

/** Converts booleans to 0, 1 and `missing`. In a column of nulls, all values become `missing`. */
export function toLogicals(column: Column, missing = NA_INTEGER): Int32Array {
  if (column.layout === "null") return new Int32Array(column.length).fill(missing);
  return withMissing(Int32Array.from(toNumberArray(column), Number), column, missing);
}

/**
 * Converts numbers to doubles. Afterwards, `withMissingReals` marks the nulls.
 * @param toReal converts a 64-bit integer.
 * @throws {UnsupportedElementError} for an integer that a double cannot represent exactly.
 */
export function toReals(column: Column, toReal = toExactReal): Float64Array {
  const values = toNumberArray(column);
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const { validity } = column;
    const reals = new Float64Array(values.length);
    for (let i = 0; i < values.length; i++) {
      if (validity === null || isBitSet(validity.bitmap, i)) reals[i] = toReal(values[i]);
    }
    return reals;
  }
  if (column.type.id === "Float" && column.type.bits === 16)
    return Float64Array.from(values, (one) => decodeFloat16(Number(one)));
  if (values instanceof Float64Array) return values.slice();
  const reals = new Float64Array(values.length);
  reals.set(values);
  return reals;
}

function toExactReal(value: bigint): number {
  const real = Number(value);
  if (Math.abs(real) <= EXACT && BigInt(real) === value) return real;
  throw new UnsupportedElementError(`${value} lies beyond 2^53, up to which R's numbers are exact: make it text`);
}
