/** Columns of numbers: casts to a wider type, conversion to typed arrays, constant fill. */

import type { Column, PrimitiveColumn } from "../arrow/column.js";
import { createField, describeArrowType } from "../arrow/type.js";
import { toWrittenForm } from "../arrow/written-type.js";
import { packBits, unpackBits } from "../kernels/values/bitmap.js";
import { decodeFloat16, encodeFloat16 } from "../kernels/values/number-bits.js";
import { InvalidInputError } from "../model/errors.js";
import { allocate, type NumberArray, viewAsBytes } from "../model/stored.js";
import type { NumericType } from "./common-type.js";

/** Whether integers may be rounded when they are converted to floats. */
export interface Rounding {
  readonly lossy: boolean;
  /** The element, for errors. */
  readonly element: string;
}

/**
 * Converts the numbers in `column` to the type `to`. Rounding is possible only for 64-bit integers that become floats.
 * @throws {InvalidInputError} for an integer that a float would round, unless losses are allowed.
 */
export function castNumbers(column: Column, to: NumericType, rounding: Rounding): PrimitiveColumn {
  if (column.layout !== "primitive") throw new TypeError(`${describeArrowType(column.type)} is no type of numbers`);
  if (describeArrowType(column.type) === describeArrowType(to)) return column;
  const { length, validity } = column;
  return { layout: "primitive", type: to, length, validity, values: castValues(column, to, rounding) };
}

function castValues(column: PrimitiveColumn, to: NumericType, rounding: Rounding): NumberArray {
  const { length, type } = column;
  const from = getFlatNumbers(column);
  const values = allocateNumberArray(to, length);
  if (isBig(values)) {
    for (let i = 0; i < length; i++) values[i] = BigInt(from[i]);
  } else if (isBig(from)) {
    for (let i = 0; i < length; i++) values[i] = Number(from[i]);
    if (!rounding.lossy) checkExact(from, values, to, rounding.element);
  } else if (type.id === "Float" && type.bits === 16) {
    for (let i = 0; i < length; i++) values[i] = decodeFloat16(from[i]);
  } else if (to.id === "Float" && to.bits === 16) {
    for (let i = 0; i < length; i++) values[i] = encodeFloat16(from[i]);
  } else {
    values.set(from);
  }
  return values;
}

/** Returns the numbers of a column; booleans become bytes. */
export function getFlatNumbers(flat: Column): NumberArray {
  if (flat.layout !== "primitive") throw new TypeError("numbers expected");
  const { type, values, length } = flat;
  return type.id === "Bool" ? unpackBits(viewAsBytes(values), length) : values.subarray(0, length);
}

/** The value for all positions without a value. */
export interface Fill {
  readonly type: NumericType;
  readonly fill: number;
}

/** Allocates memory for `count` numbers; booleans are bytes. */
export function allocateNumberArray(type: NumericType, count: number): NumberArray {
  return allocate(toWrittenForm(createField("value", type)).type, count);
}

export function createFilledNumbers(count: number, { type, fill }: Fill): NumberArray {
  const values = allocateNumberArray(type, count);
  if (isBig(values)) return fill === 0 ? values : values.fill(BigInt(fill));
  return values.fill(type.id === "Float" && type.bits === 16 ? encodeFloat16(fill) : fill);
}

/** Makes a column of one number. */
export function createFilledColumn(length: number, fill: Fill): PrimitiveColumn {
  return createNumbersColumn(createFilledNumbers(length, fill), fill.type);
}

/** Makes a column of numbers without nulls; booleans are bytes. */
export function createNumbersColumn(values: NumberArray, type: NumericType): PrimitiveColumn {
  const own = type.id === "Bool" ? packBits(viewAsBytes(values)) : values;
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
    throw new InvalidInputError(`${from[i]} would be rounded to ${describeArrowType(to)}; allow losses (--lossy)`, {
      element,
    });
  }
}
