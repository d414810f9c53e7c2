import type { IntArray } from "../stored.js";

/** Position of the first index outside [0, limit), or -1. */
export function firstOutside(indices: IntArray, limit: number): number {
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) {
    const top = BigInt(limit);
    for (let i = 0; i < indices.length; i++) if (indices[i] < 0n || indices[i] >= top) return i;
    return -1;
  }
  for (let i = 0; i < indices.length; i++) if (indices[i] < 0 || indices[i] >= limit) return i;
  return -1;
}

/** Indices that were checked to lie in [0, 2^31) as Int32; the same array where it is one. */
export function narrowToInt32(indices: IntArray): Int32Array {
  if (indices instanceof Int32Array) return indices;
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) {
    const words = new Int32Array(indices.buffer, indices.byteOffset, 2 * indices.length);
    const out = new Int32Array(indices.length);
    for (let i = 0; i < out.length; i++) out[i] = words[2 * i];
    return out;
  }
  return Int32Array.from(indices);
}

/** Indices as Int64; the same array where it is one. */
export function widenToInt64(indices: IntArray): BigInt64Array {
  if (indices instanceof BigInt64Array) return indices;
  if (indices instanceof BigUint64Array) {
    return new BigInt64Array(indices.buffer, indices.byteOffset, indices.length);
  }
  return BigInt64Array.from(indices, (index) => BigInt(index));
}
