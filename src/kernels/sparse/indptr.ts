/** Kernels over the pointers of compressed sparse matrices (CSR, CSC). */

import { InvalidDataError } from "../../model/errors.js";
import type { IntArray, StoredValues } from "../../model/stored.js";

/** Converts pointers to numbers. Values beyond 2^53 become infinite, so that every later check rejects them. */
export function convertPointersToNumbers(pointers: IntArray): Float64Array {
  if (pointers instanceof BigInt64Array || pointers instanceof BigUint64Array) {
    const out = new Float64Array(pointers.length);
    // Reading two 32-bit halves is several times faster than reading one BigInt per value.
    const words = new Uint32Array(pointers.buffer, pointers.byteOffset, 2 * pointers.length);
    const signed = pointers instanceof BigInt64Array;
    for (let i = 0; i < out.length; i++) {
      const high = signed ? words[2 * i + 1] | 0 : words[2 * i + 1];
      out[i] = high >= 0x200000 ? Number.POSITIVE_INFINITY : high * 0x100000000 + words[2 * i];
    }
    return out;
  }
  return Float64Array.from(pointers);
}

/** Returns the position i of the first pointer that is less than the previous pointer (i >= 1), or -1. */
export function findPointerDecrease(pointers: Float64Array): number {
  for (let i = 1; i < pointers.length; i++) if (!(pointers[i] >= pointers[i - 1])) return i;
  return -1;
}

/** Minimum number of values for which `fill` is faster than single writes. */
const LEAST_TO_FILL = 16;

/**
 * Writes the major coordinate of each of the entries [start, end) to `out`.
 * @param pointers the pointers of the major positions first, first + 1, …, and the end of the last position;
 * pointers[0] <= start, and end <= the last pointer.
 */
export function expandPointers(
  pointers: Float64Array,
  first: number,
  start: number,
  end: number,
  out: Int32Array | BigInt64Array,
): void {
  let major = findLastPointerAtMost(pointers, start);
  let at = start;
  while (at < end) {
    const stop = Math.min(pointers[major + 1], end);
    if (stop > at) {
      if (!(out instanceof Int32Array)) out.fill(BigInt(first + major), at - start, stop - start);
      else if (stop - at >= LEAST_TO_FILL) out.fill(first + major, at - start, stop - start);
      else for (let i = at - start; i < stop - start; i++) out[i] = first + major;
      at = stop;
    }
    major++;
  }
}

/** Returns the position of the last pointer that is <= `value`. The first pointer must be <= `value`. */
export function findLastPointerAtMost(pointers: Float64Array | Int32Array, value: number): number {
  let low = 0;
  let high = pointers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (pointers[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns the values of an integer array.
 * @throws {InvalidDataError} if the values are floats.
 */
export function checkIntegers(values: StoredValues): IntArray {
  if (values.kind !== "fixed" || values.values instanceof Float32Array || values.values instanceof Float64Array) {
    throw new InvalidDataError("pointers and indices of a sparse matrix must be integers");
  }
  return values.values;
}
