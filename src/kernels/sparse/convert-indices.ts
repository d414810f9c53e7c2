/** Converts positions to the width in which they are stored. */

import {
  allocate,
  getIntType,
  type IntArray,
  type IntType,
  type NumberArray,
  viewAsBytes,
} from "../../model/stored.js";
import type { ReusedNumbers } from "../values/reused-numbers.js";

/**
 * Converts the non-negative integers `values` to `type`, which can hold all of them. Returns `values` itself if it
 * already has this type.
 * @param memory memory of `type` for the result; if absent, the result gets its own memory.
 */
export function convertIndices(values: IntArray, type: IntType, memory?: ReusedNumbers): NumberArray {
  const from = getIntType(values);
  if (from.bits === type.bits && from.signed === type.signed) return values;
  const out = memory?.take(values.length) ?? allocate(type, values.length);
  const wide = from.bits === 64;
  if (type.bits === 64 && !wide) {
    // Writing words is several times faster than creating a BigInt for each value.
    const words = new Uint32Array(out.buffer, out.byteOffset, 2 * out.length);
    for (let i = 0; i < values.length; i++) {
      words[2 * i] = Number(values[i]);
      words[2 * i + 1] = 0;
    }
    return out;
  }
  if (wide && type.bits !== 64) {
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let i = 0; i < out.length; i++) out[i] = words[2 * i];
    return out;
  }
  if (wide) {
    viewAsBytes(out).set(viewAsBytes(values));
    return out;
  }
  for (let i = 0; i < out.length; i++) out[i] = values[i];
  return out;
}

/** Converts whole numbers below 2^53 to integers of `type`, which must be able to hold them. */
export function toIntegerArray(values: Float64Array, type: IntType): NumberArray {
  const out = allocate(type, values.length);
  if (type.bits !== 64) {
    for (let i = 0; i < out.length; i++) out[i] = values[i];
    return out;
  }
  const words = new Uint32Array(out.buffer);
  for (let i = 0; i < values.length; i++) {
    words[2 * i] = values[i] % 2 ** 32;
    words[2 * i + 1] = Math.floor(values[i] / 2 ** 32);
  }
  return out;
}

/** Returns the largest integer of a type, or the largest safe integer if that is smaller. */
export function getMaxInteger({ bits, signed }: IntType): number {
  return bits === 64 ? Number.MAX_SAFE_INTEGER : 2 ** (signed ? bits - 1 : bits) - 1;
}
