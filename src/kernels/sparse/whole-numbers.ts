/** Converts numbers to another type that can hold them exactly. */

import type { NumberArray } from "../../model/stored.js";
import { findOutOfRangeIndex } from "./indices.js";

/**
 * Writes `values` to `out` as unsigned 32-bit integers, up to the first value that is not a whole number in 0 … 2^32 -
 * 1.
 * @returns the index of this value, or -1.
 */
export function toUint32(values: NumberArray, out: Uint32Array): number {
  if (values instanceof Uint32Array) {
    out.set(values);
    return -1;
  }
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    return ofWords(new Uint32Array(values.buffer, values.byteOffset, 2 * values.length), out);
  }
  // Each type of array has its own loop, so that each loop processes a single type.
  if (values instanceof Float32Array) return ofFloat32(values, out);
  if (values instanceof Int32Array) return ofInt32(values, out);
  for (let i = 0; i < values.length; i++) {
    const whole = values[i] >>> 0;
    if (whole !== values[i]) return i;
    out[i] = whole;
  }
  return -1;
}

function ofFloat32(values: Float32Array, out: Uint32Array): number {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const whole = value >>> 0;
    if (whole !== value) return i;
    out[i] = whole;
  }
  return -1;
}

function ofInt32(values: Int32Array, out: Uint32Array): number {
  const wrong = findOutOfRangeIndex(values, 2 ** 31);
  out.set(new Uint32Array(values.buffer, values.byteOffset, wrong < 0 ? values.length : wrong));
  return wrong;
}

/** Converts 64-bit integers, passed as words with the low word first. */
function ofWords(words: Uint32Array, out: Uint32Array): number {
  for (let i = 0; i < words.length; i += 2) {
    if (words[i + 1] !== 0) return i / 2;
    out[i / 2] = words[i];
  }
  return -1;
}

/**
 * Writes `values` to `out` as the nearest floats of the width that `out` has.
 * @returns the index of the first value that differs from its float, or -1.
 */
export function toFloats(values: NumberArray, out: Float32Array | Float64Array): number {
  let wrong = -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    out[i] = Number(value);
    if (wrong >= 0) continue;
    const isSame = typeof value === "bigint" ? BigInt(out[i]) === value : Object.is(out[i], value);
    if (!isSame) wrong = i;
  }
  return wrong;
}
