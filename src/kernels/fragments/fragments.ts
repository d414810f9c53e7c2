/** Hot loops over the starts, ends and cells of fragments. */

/** Returns the position in [from + 1, to) of the first value that is less than the previous value, or -1. */
export function findFirstDescent(values: Uint32Array, from: number, to: number): number {
  for (let i = from + 1; i < to; i++) if (values[i] < values[i - 1]) return i;
  return -1;
}

/** Adds each start to the length at the same position, modulo 2^32. */
export function convertLengthsToEnds(lengths: Uint32Array, starts: Uint32Array): void {
  // Adding signed words is faster, and the bits of the sums are equal.
  const ends = new Int32Array(lengths.buffer, lengths.byteOffset, lengths.length);
  const begins = new Int32Array(starts.buffer, starts.byteOffset, starts.length);
  for (let i = 0; i < ends.length; i++) ends[i] += begins[i];
}

/**
 * Writes to `out` the positions of fragments that begin before `stop` and end after `start`.
 * @returns the number of positions.
 */
export function selectOverlapping(
  starts: Uint32Array,
  ends: Uint32Array,
  start: number,
  stop: number,
  out: Uint32Array,
): number {
  let count = 0;
  for (let i = 0; i < starts.length; i++) {
    out[count] = i;
    count += starts[i] < stop && ends[i] > start ? 1 : 0;
  }
  return count;
}

/**
 * Selects, among the first `count` positions in `at`, the positions whose cell (or chromosome) is wanted.
 * @param wanted one byte for each name.
 * @returns the number of positions selected.
 */
export function selectByName(ids: Int32Array, wanted: Uint8Array, at: Uint32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const position = at[i];
    at[kept] = position;
    kept += wanted[ids[position]];
  }
  return kept;
}
