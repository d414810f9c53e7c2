/** Which rows of a job become one message. */

import { rowsOf } from "../rows/batch.js";
import { entryFieldBytes } from "../rows/sparse.js";
import type { JobRows, Task } from "../rows/task.js";

/**
 * The rows of a job in ranges of at most one message that end where chunks do, so that none lies in two of them: its rest
 * would be copied. One range where chunks are larger than messages, or there is none to go by.
 */
export function messageRows({ rows, selected, product }: Task, [start, end]: JobRows): JobRows[] {
  if (product.kind !== "ipc" || rows.kind !== "coordinate") return [[start, end]];
  const { matrix } = rows;
  const chunk = Math.max(matrix.data.chunks?.[0] ?? 1, matrix.indices.chunks?.[0] ?? 1);
  const rowBytes = selected.reduce((sum, field) => sum + entryFieldBytes(matrix, field), 0);
  const most = rowsOf(rowBytes, product.batchBytes);
  const step = most - (most % chunk);
  if (chunk === 1 || step === 0) return [[start, end]];
  const ranges: JobRows[] = [];
  for (let at = start; at < end; ) {
    const stop = Math.min(end, at - (at % chunk) + step);
    ranges.push([at, stop]);
    at = stop;
  }
  return ranges;
}
