/** Sorts the entries of one block and yields them as batches. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { INT32 } from "../arrow/type.js";
import { columnOfWords } from "../arrow/value-words.js";
import { type EntryWords, gatherWords } from "../kernels/sparse/scatter.js";
import { OrderScratch, stableOrder } from "../kernels/sparse/stable-order.js";
import { bandsOf, type CoordinateBounds, distribute } from "./bands.js";
import { EntryBlock, type Workspace } from "./workspace.js";

/** Number of entries of a batch. */
const BATCH_ENTRIES = 2 ** 18;

/** Most bands: more bands cost more time than the passes they save. */
const MOST_BANDS = 2 ** 11;

/** Least entries per band on average: smaller bands are not worth their counters. */
const LEAST_PER_BAND = 64;

/** Form of the batches: their order, and a column that shows the type of their values. */
export interface BatchForm {
  readonly order: "row" | "column";
  readonly value: Column;
}

/**
 * Yields the first `length` entries of the workspace's source, sorted, in new memory.
 * @param range range of their coordinates.
 * @param distributed called when the source may be used again.
 */
export function* sortedBatches(
  workspace: Workspace,
  length: number,
  { range, form }: { readonly range: CoordinateBounds; readonly form: BatchForm },
  distributed: () => void = () => undefined,
): Generator<ColumnBatch> {
  const bands = bandsOf(range, Math.min(MOST_BANDS, Math.max(1, Math.floor(length / LEAST_PER_BAND))));
  const block = workspace.target(length);
  const places = workspace.places(length);
  const starts = distribute(workspace.source, length, bands, block, places);
  distributed();
  const scratch = new OrderScratch(longestBand(starts), places);
  const oneMajor = bands.key === "major" && bands.shift === 0;
  let batch = new EntryBlock(block.shape, Math.min(BATCH_ENTRIES, length));
  let filled = 0;
  for (let b = 0; b < bands.count; b++) {
    const start = starts[b];
    const count = starts[b + 1] - start;
    if (count === 0) continue;
    const order = stableOrder(block.major, block.minor, start, start + count, scratch);
    for (let done = 0; done < count; ) {
      const end = Math.min(count, done + batch.capacity - filled);
      const move = mover(order, start, done, end, filled);
      if (oneMajor) batch.major.fill(block.major[start], filled, filled + end - done);
      else move(block.major, batch.major, 1);
      move(block.minor, batch.minor, 1);
      block.values.forEach((words, i) => {
        move(words, batch.values[i], block.shape.value[i].step);
      });
      filled += end - done;
      done = end;
      if (filled < batch.capacity) continue;
      yield batchOf(batch, form);
      batch = new EntryBlock(block.shape, Math.min(BATCH_ENTRIES, length - start - done));
      filled = 0;
    }
  }
}

/** Yields the first `length` entries of the workspace's source in their present order. */
export function* unsortedBatches(workspace: Workspace, length: number, form: BatchForm): Generator<ColumnBatch> {
  const { source } = workspace;
  for (let start = 0; start < length; start += BATCH_ENTRIES) {
    const end = Math.min(length, start + BATCH_ENTRIES);
    const batch = new EntryBlock(source.shape, end - start);
    const move = mover(null, 0, start, end, 0);
    move(source.major, batch.major, 1);
    move(source.minor, batch.minor, 1);
    source.values.forEach((words, i) => {
      move(words, batch.values[i], source.shape.value[i].step);
    });
    yield batchOf(batch, form);
  }
}

/**
 * Makes the function that moves the entries [done, end) of the segment at `start` to the places from `to` on, in
 * `order` if given.
 */
function mover(order: Uint32Array | null, start: number, done: number, end: number, to: number) {
  const part = order?.subarray(done, end);
  return (source: EntryWords, target: EntryWords, step: number): void => {
    if (part !== undefined) gatherWords(source, start, part, step, target, to);
    else target.set(source.subarray((start + done) * step, (start + end) * step), to * step);
  };
}

function longestBand(starts: Uint32Array): number {
  let longest = 0;
  for (let b = 1; b < starts.length; b++) longest = Math.max(longest, starts[b] - starts[b - 1]);
  return longest;
}

/** Full block as a batch with the columns row, col and value. */
export function batchOf({ capacity, major, minor, values }: EntryBlock, { order, value }: BatchForm): ColumnBatch {
  const [row, col] = order === "row" ? [major, minor] : [minor, major];
  return { length: capacity, columns: [coordinate(row), coordinate(col), columnOfWords(value, values, capacity)] };
}

function coordinate(values: Int32Array): PrimitiveColumn {
  return { layout: "primitive", type: INT32, length: values.length, validity: null, values };
}
