/** Converts n-dimensional arrays to rows of nested FixedSizeLists or to two other layouts, and back. */

import { isBitSet } from "../kernels/values/bitmap.js";
import type { NumberArray } from "../model/stored.js";
import type { Column, FixedSizeListColumn } from "./column.js";
import { sliceColumn, takeColumn } from "./take.js";
import { mayBeNull, nestType } from "./type.js";

/**
 * Nests `flat` in FixedSizeLists of the given dimensions, outermost first. The column has `rows` rows even if a
 * dimension is 0.
 * @param isNullable whether values can be missing.
 */
export function createFixedSizeLists(
  flat: Column,
  dimensions: readonly number[],
  rows: number,
  isNullable = mayBeNull(flat.type),
): Column {
  let column = flat;
  for (let axis = dimensions.length - 1; axis >= 0; axis--) {
    const length = dimensions.slice(0, axis).reduce((a, b) => a * b, rows);
    const type = nestType(flat.type, dimensions.slice(axis), isNullable);
    if (type.id !== "FixedSizeList") throw new TypeError("nested lists expected");
    column = { layout: "fixed-size-list", type, length, validity: null, child: column };
  }
  return column;
}

/** Returns the items of a column of lists. The items of a null list are null. */
export function getListItems(column: FixedSizeListColumn): Column {
  const { length, validity, child } = column;
  const { size } = column.type;
  const inner = sliceColumn(child, 0, length * size);
  if (validity === null || validity.nullCount === 0) return inner;
  const places = new Int32Array(length * size);
  for (let i = 0; i < length; i++) {
    const there = isBitSet(validity.bitmap, i);
    for (let k = i * size; k < (i + 1) * size; k++) places[k] = there ? k : -1;
  }
  return takeColumn(inner, places);
}

/** Splits a row-major block of `rows` x `width` values into columns, each in its own buffer. */
export function splitColumns(block: NumberArray, rows: number, width: number, take: readonly number[]): NumberArray[] {
  return take.map((column) => {
    const out = block.slice(0, rows);
    for (let row = 0, at = column; row < rows; row++, at += width) out[row] = block[at];
    return out;
  });
}

/** The non-zero entries of a row-major block, including NaN and -0.0. */
export interface NonZeros {
  readonly row: Int32Array;
  readonly col: Int32Array;
  readonly value: NumberArray;
}

/**
 * Finds the non-zeros of `rows` x `width` values in row order; `firstRow` is added to the row numbers. A value is zero
 * if all its bits are 0, so -0.0 is a non-zero.
 */
export function findDenseNonZeros(block: NumberArray, rows: number, width: number, firstRow: number): NonZeros {
  const isZero = zeroTest(block);
  let count = 0;
  for (let i = 0; i < rows * width; i++) if (!isZero(i)) count++;
  const row = new Int32Array(count);
  const col = new Int32Array(count);
  const value = block.slice(0, count);
  let at = 0;
  for (let r = 0, i = 0; r < rows; r++) {
    for (let c = 0; c < width; c++, i++) {
      if (isZero(i)) continue;
      row[at] = firstRow + r;
      col[at] = c;
      value[at] = block[i];
      at++;
    }
  }
  return { row, col, value };
}

function zeroTest(block: NumberArray): (i: number) => boolean {
  if (block instanceof BigInt64Array || block instanceof BigUint64Array) return (i) => block[i] === 0n;
  if (block instanceof Float32Array || block instanceof Float64Array) return (i) => Object.is(block[i], 0);
  return (i) => block[i] === 0;
}
