/** Tables whose values are there as fast as memory is: moving their batches between threads costs more than decoding. */

import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../sources/source.js";
import { JobMemory } from "../memory/job-memory.js";
import type { RowsPlan } from "../plan/plan.js";
import type { Batch } from "../rows/batch.js";
import { ScanState } from "../rows/columns.js";
import { hasPages, scanPages } from "../rows/packed-coordinate.js";
import type { Product } from "../rows/product.js";
import type { JobRows, Task } from "../rows/task.js";
import { scanRows } from "./scan.js";

/** Small batches get the same memory from the system again and again, which the processor holds; 131,072 entries. */
export const INLINE_BATCH_BYTES = 3 * 2 ** 19;

/** Of batches whose memory is used again: a page of 262,144 entries. */
const REUSED_PAGE_BYTES = 3 * 2 ** 20;

/** The same of arrays that are read from files as they are: every batch costs two reads. */
const REUSED_BATCH_BYTES = 2 ** 22;

/** Bytes of a batch that suit tables decoded inline where its memory is used again; null for others. */
export function reusedBatchBytes(rows: RowsPlan): number | null {
  if (isDecodedInline(rows)) return REUSED_PAGE_BYTES;
  return isDecodedInline(rows, true) ? REUSED_BATCH_BYTES : null;
}

/**
 * Whether batches are best made in the thread that takes them.
 * @param reuse whether their memory is used again: then those of any local array without chunks are.
 */
export function isDecodedInline(rows: RowsPlan, reuse = false): boolean {
  if (rows.kind === "fragments") return rows.only === null && [rows.cell, rows.start, rows.end].every(isPlain);
  if (rows.kind !== "coordinate" && rows.kind !== "entries" && rows.kind !== "selected") return false;
  // Among all entries those of some minor positions: every worker looks for its own.
  if (rows.kind === "selected" && rows.minor !== null) return false;
  const { data, indices } = rows.matrix;
  return [data, indices].every(
    (array) => isPlain(array) || (reuse && array.chunks === null && array.plan !== undefined),
  );
}

function isPlain({ plan }: StoredArray): boolean {
  return plan?.container === "packed" || plan?.container === "directory";
}

/** The batches of rows [start, end); where they may be used again, each lasts until the next one is asked for. */
export async function* scanInline(
  task: Task,
  [start, end]: JobRows,
  { batchBytes, reuse = false }: Extract<Product, { kind: "batches" }>,
  options: ReadOptions,
): AsyncGenerator<Batch> {
  const state = new ScanState(task.text, options, reuse ? new JobMemory() : null);
  const run = { start, end, fields: task.selected, batchBytes, state };
  const { rows } = task;
  if (rows.kind === "coordinate" && hasPages(rows.matrix, run)) return yield* scanPages(rows.matrix, run, reuse);
  for await (const batch of scanRows(rows, task.fields, run)) {
    yield batch;
    state.release();
  }
}
