/** Types that engines take in another form, as rules for `substitution`. */

import { Data, DataType, Float32, List, makeData, Precision } from "apache-arrow";
import type { Substitute } from "./substitute.js";

/** Half precision as Float32, in which every value is exact. */
export function halfAsSingle(type: DataType): Substitute | null {
  const isHalf = DataType.isFloat(type) && type.precision === Precision.HALF;
  return isHalf ? { type: new Float32(), data: widened } : null;
}

/** Lists of the fixed size 0 as lists. */
export function emptyListAsList(type: DataType): Substitute | null {
  if (!DataType.isFixedSizeList(type) || type.listSize !== 0) return null;
  const after = new List(type.children[0]);
  return {
    type: after,
    data: ({ offset, length, nullCount, nullBitmap, children: [child] }) => {
      const valueOffsets = new Int32Array(length + 1);
      return makeData({ type: after, offset, length, nullCount, nullBitmap, valueOffsets, child });
    },
  };
}

/** The same values under another type of the same width. */
export function retyped(type: DataType): Substitute {
  return { type, data: (data) => new Data(type, data.offset, data.length, data.nullCount, data.buffers) };
}

function widened(data: Data): Data {
  const halves: Uint16Array = data.values;
  const values = new Float32Array(data.length);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < data.length; i++) bits[i] = singleBits(halves[i]);
  const { offset, length, nullCount } = data;
  return makeData({ type: new Float32(), offset, length, nullCount, nullBitmap: data.nullBitmap, data: values });
}

/** The binary32 of a binary16, payloads of NaN kept. */
function singleBits(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 1023) << 13);
}
