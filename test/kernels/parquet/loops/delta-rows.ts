/** The major positions of a compressed sparse matrix as a DELTA_BINARY_PACKED page, by loops. */

import type { PageBuffer } from "../../../../src/kernels/parquet/page-buffer.js";
import type { RowEnds } from "../../../../src/kernels/parquet/wasm-kernels.js";
import { BLOCK, encodeDeltaBlock, encodeDeltaHeader } from "./delta-binary-packed.js";

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
