/** Sums the numbers of a column. */

import { isBitSet } from "../kernels/values/bitmap.js";
import { decodeFloat16 } from "../kernels/values/number-bits.js";
import { viewAsBytes } from "../model/stored.js";
import type { Column } from "./column.js";
import { describeArrowType } from "./type.js";

/**
 * Adds up the values of the rows [from, to) as numbers, one after the other. The sum is NaN if any value is NaN.
 * Missing values count as 0, true as 1.
 * @throws {TypeError} for a column of other values.
 */
export function computeColumnSum(column: Column, from = 0, to = column.length): number {
  if (column.layout !== "primitive") throw new TypeError(`${describeArrowType(column.type)} is no type of numbers`);
  const { type, values, validity } = column;
  const numberAt = numbersOf(column);
  let sum = 0;
  if (validity !== null) {
    for (let i = from; i < to; i++) if (isBitSet(validity.bitmap, i)) sum += numberAt(i);
    return sum;
  }
  const isPlain = type.id === "Int" || (type.id === "Float" && type.bits !== 16);
  if (!isPlain || values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let i = from; i < to; i++) sum += numberAt(i);
    return sum;
  }
  for (let i = from; i < to; i++) sum += values[i];
  return sum;
}

function numbersOf({ type, values }: Extract<Column, { layout: "primitive" }>): (at: number) => number {
  if (type.id === "Bool") {
    const bits = viewAsBytes(values);
    return (at) => (isBitSet(bits, at) ? 1 : 0);
  }
  if (type.id === "Float" && type.bits === 16) return (at) => decodeFloat16(Number(values[at]));
  return (at) => Number(values[at]);
}
