/** Changes the type of numbers to a wider one. */

import type { Column, PrimitiveColumn } from "../arrow/column.js";
import { typeText } from "../arrow/type.js";
import { unpackBits } from "../kernels/values/bitmap.js";
import { float16ToNumber } from "../kernels/values/number-bits.js";
import { InvalidInputError } from "../model/errors.js";
import { allocate, bytesOf, type NumberArray, type StoredType } from "../model/stored.js";
import type { NumericType } from "./common-type.js";

/** Treatment of integers that a float rounds. */
export interface Rounding {
  /** Whether rounded values are allowed. */
  readonly lossy: boolean;
  /** The element, for errors. */
  readonly element: string;
}

/**
 * The numbers of `column` in the type `to`, which holds all values of the column's own type, but for integers of 64 bits
 * in a float.
 * @throws {InvalidInputError} for an integer that a float would round, unless losses are allowed.
 */
export function castNumbers(column: Column, to: NumericType, rounding: Rounding): PrimitiveColumn {
  if (column.layout !== "primitive") throw new TypeError(`${typeText(column.type)} is no type of numbers`);
  if (typeText(column.type) === typeText(to)) return column;
  const { length, validity } = column;
  return { layout: "primitive", type: to, length, validity, values: castValues(column, to, rounding) };
}

function castValues(column: PrimitiveColumn, to: NumericType, rounding: Rounding): NumberArray {
  const { length, type } = column;
  const from = type.id === "Bool" ? unpackBits(bytesOf(column.values), length) : column.values.subarray(0, length);
  const values = allocate(storedNumber(to), length);
  if (isBig(values)) {
    for (let i = 0; i < length; i++) values[i] = BigInt(from[i]);
  } else if (isBig(from)) {
    for (let i = 0; i < length; i++) values[i] = Number(from[i]);
    if (!rounding.lossy) checkExact(from, values, to, rounding.element);
  } else if (type.id === "Float" && type.bits === 16) {
    for (let i = 0; i < length; i++) values[i] = float16ToNumber(from[i]);
  } else if (to.id === "Float" && to.bits === 16) {
    for (let i = 0; i < length; i++) values[i] = smallToFloat16(from[i]);
  } else {
    values.set(from);
  }
  return values;
}

/** The stored type of numbers of this type; booleans are bytes. */
export function storedNumber(type: NumericType): StoredType {
  switch (type.id) {
    case "Bool":
      return { kind: "bool" };
    case "Int":
      return { kind: "int", bits: type.bits, signed: type.signed };
    case "Float":
      return { kind: "float", bits: type.bits };
    default:
      return type satisfies never;
  }
}

export function isBig(values: NumberArray): values is BigInt64Array | BigUint64Array {
  return values instanceof BigInt64Array || values instanceof BigUint64Array;
}

function checkExact(
  from: BigInt64Array | BigUint64Array,
  values: ArrayLike<number>,
  to: NumericType,
  element: string,
): void {
  for (let i = 0; i < from.length; i++) {
    if (Math.abs(values[i]) <= Number.MAX_SAFE_INTEGER || BigInt(values[i]) === from[i]) continue;
    throw new InvalidInputError(`${from[i]} would be rounded to ${typeText(to)}; allow losses (lossy, --lossy)`, {
      element,
    });
  }
}

/** The bits of an integer of 8 bits as a half: all of them are exact. */
function smallToFloat16(value: number): number {
  if (value === 0) return 0;
  const size = Math.abs(value);
  const exponent = 31 - Math.clz32(size);
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | ((size << (10 - exponent)) & 0x3ff);
}
