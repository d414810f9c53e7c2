/** The major positions of a compressed sparse matrix as a DELTA_BINARY_PACKED page, without expanding the pointers. */

import { findLastPointerAtMost } from "../sparse/indptr.js";
import { BLOCK, encodeDeltaBlock, encodeDeltaHeader } from "./delta-binary-packed.js";
import type { PageBuffer } from "./page-buffer.js";

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

const values = new Int32Array(BLOCK + 1);

/** Appends the page body of `count` entries, given by the ends of their positions. */
export function encodeDeltaRowEnds(count: number, { rows, ends }: RowEnds, out: PageBuffer): void {
  encodeDeltaHeader(count, count === 0 ? 0 : rows[0], out);
  let row = 0;
  for (let start = 1; start < count; start += BLOCK) {
    const size = Math.min(BLOCK, count - start);
    // Each block needs the preceding value, from which its first difference is computed.
    for (let i = 0; i <= size; ) {
      while (ends[row] < start + i) row++;
      const stop = Math.min(ends[row] - start + 1, size + 1);
      values.fill(rows[row], i, stop);
      i = stop;
    }
    if (values[0] === values[size]) constantBlock(out);
    else encodeDeltaBlock(values, 1, size, out);
  }
}

/** Appends a block of zero differences: the minimum difference, and the widths of four miniblocks. */
function constantBlock(out: PageBuffer): void {
  out.reserve(5);
  out.bytes.fill(0, out.length, out.length + 5);
  out.length += 5;
}
