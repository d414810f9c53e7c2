/** Columns of numbers: casts to a wider type, conversion to typed arrays, constant fill. */

import type { Column, PrimitiveColumn } from "../arrow/column.js";
import { field, typeText } from "../arrow/type.js";
import { storedTypeOf } from "../arrow/written-type.js";
import { packBits, unpackBits } from "../kernels/values/bitmap.js";
import { float16Bits, float16ToNumber } from "../kernels/values/number-bits.js";
import { InvalidInputError } from "../model/errors.js";
import { allocate, bytesOf, type NumberArray } from "../model/stored.js";
import type { NumericType } from "./common-type.js";

/** Whether integers may be rounded to floats. */
export interface Rounding {
  readonly lossy: boolean;
  /** The element, for errors. */
  readonly element: string;
}

/**
 * Converts the numbers of `column` to the type `to`. Only 64-bit integers that become floats may be rounded.
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
  const from = numbersIn(column);
  const values = numbersOf(to, length);
  if (isBig(values)) {
    for (let i = 0; i < length; i++) values[i] = BigInt(from[i]);
  } else if (isBig(from)) {
    for (let i = 0; i < length; i++) values[i] = Number(from[i]);
    if (!rounding.lossy) checkExact(from, values, to, rounding.element);
  } else if (type.id === "Float" && type.bits === 16) {
    for (let i = 0; i < length; i++) values[i] = float16ToNumber(from[i]);
  } else if (to.id === "Float" && to.bits === 16) {
    for (let i = 0; i < length; i++) values[i] = float16Bits(from[i]);
  } else {
    values.set(from);
  }
  return values;
}

/** Returns the numbers of a column; booleans become bytes. */
export function numbersIn(flat: Column): NumberArray {
  if (flat.layout !== "primitive") throw new TypeError("numbers expected");
  const { type, values, length } = flat;
  return type.id === "Bool" ? unpackBits(bytesOf(values), length) : values.subarray(0, length);
}

/** A value for all positions that have none. */
export interface Fill {
  readonly type: NumericType;
  readonly fill: number;
}

/** Allocates memory for `count` numbers; booleans are bytes. */
export function numbersOf(type: NumericType, count: number): NumberArray {
  return allocate(storedTypeOf(field("value", type)).type, count);
}

export function filled(count: number, { type, fill }: Fill): NumberArray {
  const values = numbersOf(type, count);
  if (isBig(values)) return fill === 0 ? values : values.fill(BigInt(fill));
  return values.fill(type.id === "Float" && type.bits === 16 ? float16Bits(fill) : fill);
}

/** Makes a column of numbers without nulls; booleans are bytes. */
export function numbersColumn(values: NumberArray, type: NumericType): PrimitiveColumn {
  const own = type.id === "Bool" ? packBits(bytesOf(values)) : values;
  return { layout: "primitive", type, length: values.length, validity: null, values: own };
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
    throw new InvalidInputError(`${from[i]} would be rounded to ${typeText(to)}; allow losses (--lossy)`, {
      element,
    });
  }
}
