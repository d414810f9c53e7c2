/** Compressing: positions in ascending order -> entries per position, from which pointers (`indptr`) follow. */

import type { IntArray } from "../../model/stored.js";

/**
 * Adds to `counts[p]` how often position p stands in `positions`, which never decrease and lie in [0, counts.length).
 * Stops at the first one that is wrong; what stands before it has been counted.
 * @param previous the last position before these, 0 at the very beginning.
 * @returns the index of that first one in `positions`, or -1. The next call's `previous` is then the last position.
 */
export function countPositions(positions: IntArray, previous: number, counts: Float64Array): number {
  if (positions instanceof Int32Array) return count32(positions, previous, counts);
  if (positions instanceof BigInt64Array || positions instanceof BigUint64Array) {
    return count64(new Int32Array(positions.buffer, positions.byteOffset, 2 * positions.length), previous, counts);
  }
  return countAny(positions, previous, counts);
}

/**
 * Turns counts into pointers: one more than counts, the first 0, the last the number of entries.
 * @param atOnce pointers of one piece. A file can declare billions of them, so they are never held as a whole.
 */
export function* pointersOfCounts(counts: Float64Array, atOnce = 2 ** 18): Generator<Float64Array> {
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

// One function per kind of array, so that each loop sees one. Runs of equal positions are counted as one.

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

/** Words of 32 bits are several times faster than one BigInt each; a negative position is beyond all counts. */
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
