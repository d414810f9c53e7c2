/** The major positions of a compressed sparse matrix as a DELTA_BINARY_PACKED page, without expanding the pointers. */

import { findLastPointerAtMost } from "../sparse/indptr.js";

/** The major positions with entries in the page, and the number of the page's entries up to the end of each. */
export interface RowEnds {
  readonly rows: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Writes the major positions with entries in [from, to), and the ends of their entries, counted from `from`.
 * @param pointers the pointers of the major positions first, first + 1, …, and the end of the last one; pointers[0] <=
 * from, to <= the last pointer.
 * @returns the number of these positions.
 */
export function computeRowEnds(
  pointers: Float64Array | Int32Array,
  first: number,
  from: number,
  to: number,
  { rows, ends }: RowEnds,
): number {
  let count = 0;
  let end = from;
  for (let major = findLastPointerAtMost(pointers, from); end < to; major++) {
    const next = Math.min(pointers[major + 1], to);
    if (next === end) continue;
    rows[count] = first + major;
    ends[count] = next - from;
    count++;
    end = next;
  }
  return count;
}
