/** Positions in the width in which they are stored. */

import { allocate, bytesOf, type IntArray, type IntType, intTypeOf, type NumberArray } from "../../model/stored.js";
import type { ReusedNumbers } from "../values/reused-numbers.js";

/**
 * The non-negative integers `values`, all of which `type` holds; the same array where it is of that type.
 * @param memory of `type`, for what is made; else it lies in memory of its own.
 */
export function convertIndices(values: IntArray, type: IntType, memory?: ReusedNumbers): NumberArray {
  const from = intTypeOf(values);
  if (from.bits === type.bits && from.signed === type.signed) return values;
  const out = memory?.take(values.length) ?? allocate(type, values.length);
  const wide = from.bits === 64;
  if (type.bits === 64 && !wide) {
    // Word by word: several times faster than one BigInt each.
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
    bytesOf(out).set(bytesOf(values));
    return out;
  }
  for (let i = 0; i < out.length; i++) out[i] = values[i];
  return out;
}

/** Whole numbers below 2^53 as integers of `type`, which holds them. */
export function integersOf(values: Float64Array, type: IntType): NumberArray {
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

/** The largest integer of a type, as far as numbers are exact. */
export function largest({ bits, signed }: IntType): number {
  return bits === 64 ? Number.MAX_SAFE_INTEGER : 2 ** (signed ? bits - 1 : bits) - 1;
}
