import type { IntArray } from "../../model/stored.js";
import type { IndexKernels, IndexSurvey } from "./index-kernels.js";

/** Minimum number of indices for which WebAssembly is used. Copying fewer into the module's memory costs too much. */
const LEAST_FOR_WASM = 1024;
const LEAST_TO_LOAD = 2 ** 17;

const loaded: { kernels: IndexKernels | null } = { kernels: null };

/**
 * Loads WebAssembly for the checks below. Until it is loaded, and for few indices, JavaScript is used and gives equal
 * results.
 * @param count the number of indices to be checked; for few indices, the module is not worth loading.
 */
export async function loadIndexKernels(count: number): Promise<void> {
  if (loaded.kernels !== null || count < LEAST_TO_LOAD) return;
  const { createWasmIndexKernels } = await import("./index-kernels.js");
  loaded.kernels = await createWasmIndexKernels();
}

/** Returns the position of the first index outside [0, limit), or -1. */
export function findOutOfRangeIndex(indices: IntArray, limit: number): number {
  const { kernels } = loaded;
  if (indices instanceof Uint32Array && limit <= 2 ** 31) {
    // An index of 2^31 or more is outside, and remains outside when read as a negative number.
    return findOutOfRangeIndex(new Int32Array(indices.buffer, indices.byteOffset, indices.length), limit);
  }
  if (indices instanceof Int32Array) {
    const within = Math.min(limit, 2 ** 31);
    if (kernels !== null && indices.length >= LEAST_FOR_WASM) return kernels.outside32(indices, within);
    return firstOutside32(indices, within);
  }
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) {
    return firstOutside64(wordsOf(indices), limit);
  }
  for (let i = 0; i < indices.length; i++) if (indices[i] < 0 || indices[i] >= limit) return i;
  return -1;
}

/** Like `findOutOfRangeIndex`, but also counts how often indices decrease. */
export function surveyIndices(indices: IntArray, limit: number): IndexSurvey {
  const { kernels } = loaded;
  const is32 = indices instanceof Int32Array || (indices instanceof Uint32Array && limit <= 2 ** 31);
  if (kernels !== null && is32 && indices.length >= LEAST_FOR_WASM) {
    const words = new Int32Array(indices.buffer, indices.byteOffset, indices.length);
    return kernels.survey32(words, Math.min(limit, 2 ** 31));
  }
  const outside = findOutOfRangeIndex(indices, limit);
  if (outside >= 0) return { outside, decreases: 0 };
  return { outside, decreases: indices instanceof Int32Array ? decreases32(indices) : decreasesOf(indices) };
}

/**
 * Writes indices in [0, limit) as Int32, up to the first index outside this range.
 * @param limit at most 2^31.
 * @returns the position of the first index outside, or -1.
 */
export function narrowWithin(indices: IntArray, limit: number, out: Int32Array): number {
  const { kernels } = loaded;
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) {
    const words = wordsOf(indices);
    if (kernels !== null && indices.length >= LEAST_FOR_WASM) return kernels.narrow64(words, limit, out);
    return narrow64(words, limit, out);
  }
  const wrong = findOutOfRangeIndex(indices, limit);
  out.set(wrong < 0 ? indices : indices.subarray(0, wrong));
  return wrong;
}

/** Views or copies indices as Int64. If `indices` is an Int64 array, it is returned itself. */
export function widenToInt64(indices: IntArray): BigInt64Array {
  if (indices instanceof BigInt64Array) return indices;
  if (indices instanceof BigUint64Array) {
    return new BigInt64Array(indices.buffer, indices.byteOffset, indices.length);
  }
  return BigInt64Array.from(indices, (index) => BigInt(index));
}

/** Writes `first + index` for all indices as Int64. Indices must not be negative, and sums must be below 2^53. */
export function shiftToInt64(indices: IntArray, first: number, out: BigInt64Array): void {
  const words = wordsOf(out);
  for (let i = 0; i < indices.length; i++) {
    const shifted = Number(indices[i]) + first;
    words[2 * i] = shifted;
    words[2 * i + 1] = shifted / 2 ** 32;
  }
}

/** Views indices as 32-bit words. Inspecting words is several times faster than creating one BigInt per index. */
function wordsOf(indices: BigInt64Array | BigUint64Array): Int32Array {
  return new Int32Array(indices.buffer, indices.byteOffset, 2 * indices.length);
}

// Each type has its own function, so that each loop processes a single type of array. A negative number read as
// unsigned exceeds all limits.

function firstOutside32(indices: Int32Array, limit: number): number {
  for (let i = 0; i < indices.length; i++) if (indices[i] >>> 0 >= limit) return i;
  return -1;
}

function firstOutside64(words: Int32Array, limit: number): number {
  for (let i = 0; i < words.length; i += 2) {
    if ((words[i + 1] >>> 0) * 2 ** 32 + (words[i] >>> 0) >= limit) return i / 2;
  }
  return -1;
}

function narrow64(words: Int32Array, limit: number, out: Int32Array): number {
  for (let i = 0; i < words.length / 2; i++) {
    const index = words[2 * i];
    if (words[2 * i + 1] !== 0 || index >>> 0 >= limit) return i;
    out[i] = index;
  }
  return -1;
}

function decreases32(indices: Int32Array): number {
  let decreases = 0;
  for (let i = 1; i < indices.length; i++) if (indices[i] < indices[i - 1]) decreases++;
  return decreases;
}

function decreasesOf(indices: IntArray): number {
  let decreases = 0;
  for (let i = 1; i < indices.length; i++) if (indices[i] < indices[i - 1]) decreases++;
  return decreases;
}
