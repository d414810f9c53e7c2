/** Counts entries per position, for positions in ascending order. Pointers (`indptr`) are derived from the counts. */

import type { IntArray } from "../../model/stored.js";

/**
 * Adds the number of occurrences of each position p in `positions` to `counts[p]`. Positions must never decrease and
 * must be in [0, counts.length). Stops at the first wrong position, after counting the positions before it.
 * @param previous the last position of the previous call, 0 for the first call.
 * @returns the index of the wrong position in `positions`, or -1. If it is -1, the next call's `previous` is the last
 * position.
 */
export function countPositions(positions: IntArray, previous: number, counts: Float64Array): number {
  if (positions instanceof Int32Array) return count32(positions, previous, counts);
  if (positions instanceof BigInt64Array || positions instanceof BigUint64Array) {
    return count64(new Int32Array(positions.buffer, positions.byteOffset, 2 * positions.length), previous, counts);
  }
  return countAny(positions, previous, counts);
}

/**
 * Turns counts into pointers. There is one more pointer than there are counts. The first pointer is 0, and the last is
 * the number of entries.
 * @param atOnce number of pointers per yielded array. A file can declare billions of pointers, so they are never all in
 * memory.
 */
export function* convertCountsToPointers(counts: Float64Array, atOnce = 2 ** 18): Generator<Float64Array> {
  let pointer = 0;
  for (let start = 0; start <= counts.length; start += atOnce) {
    const pointers = new Float64Array(Math.min(atOnce, counts.length + 1 - start));
    for (let i = 0; i < pointers.length; i++) {
      if (start + i > 0) pointer += counts[start + i - 1];
      pointers[i] = pointer;
    }
    yield pointers;
  }
}

// Each type of array has its own function, so that each loop processes a single type. Runs of equal positions are
// counted at once.

function count32(positions: Int32Array, previous: number, counts: Float64Array): number {
  const length = positions.length;
  let last = previous;
  for (let i = 0; i < length; ) {
    const position = positions[i];
    if (position < last || position >= counts.length) return i;
    const start = i++;
    while (i < length && positions[i] === position) i++;
    counts[position] += i - start;
    last = position;
  }
  return -1;
}

/**
 * Counts 64-bit positions by their 32-bit words, which is several times faster than creating a BigInt for each
 * position. A negative position is treated as beyond all counts.
 */
function count64(words: Int32Array, previous: number, counts: Float64Array): number {
  let last = previous;
  for (let i = 0; i < words.length; ) {
    const low = words[i];
    const high = words[i + 1];
    const position = (high >>> 0) * 2 ** 32 + (low >>> 0);
    if (position < last || position >= counts.length) return i / 2;
    const start = i;
    i += 2;
    while (i < words.length && words[i] === low && words[i + 1] === high) i += 2;
    counts[position] += (i - start) / 2;
    last = position;
  }
  return -1;
}

function countAny(
  positions: Exclude<IntArray, BigInt64Array | BigUint64Array>,
  previous: number,
  counts: Float64Array,
): number {
  let last = previous;
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i];
    if (position < last || position >= counts.length) return i;
    counts[position]++;
    last = position;
  }
  return -1;
}
