/** Copies the entries of a sparse matrix, grouped by minor position, in one pass over the matrix. */

import type { Column } from "../../arrow/column.js";
import type { TextFallback } from "../../arrow/text.js";
import { allocateWords, getColumnWords, getWordShapes } from "../../arrow/value-words.js";
import type { SplitBatch } from "../../containers/picked/split-lists.js";
import type { ReadOptions } from "../../io/sources/source.js";
import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import { scatterWords } from "../../kernels/sparse/scatter.js";
import { type GroupMap, splitEntries } from "../../kernels/sparse/split-lists.js";
import { viewAsBytes } from "../../model/stored.js";
import { createSparseRows } from "../plan/matrix-plan.js";
import type { SparsePlan } from "../plan/plan.js";
import type { Task } from "../rows/task.js";
import { DEFAULT_BATCH_BYTES } from "../run/runner.js";
import { runTaskJobs } from "../workers/parts.js";
import { type RowSpill, withWriter } from "./copy-storage.js";

/** Maximum number of list lengths per block. A block has one length for each list and group. */
const MAX_COUNTS = 2 ** 21;

/** A whole sparse matrix, or its part at some minor positions. */
export interface SparseLists {
  readonly matrix: SparsePlan;
  readonly minor?: MinorMap;
  readonly text: TextFallback;
}

/** @returns the blocks, in list order. */
export async function splitLists(
  { matrix, minor, text }: SparseLists,
  groups: GroupMap,
  storage: RowSpill,
  options: ReadOptions,
): Promise<readonly SplitBatch[]> {
  const { fields, rows, plan } = createSparseRows(matrix, "list", minor);
  const request = { kind: "batches", batchBytes: DEFAULT_BATCH_BYTES } as const;
  const task: Task = { rows: plan, fields, selected: [0], text, request };
  const most = Math.max(1, Math.floor(MAX_COUNTS / groups.count));
  const blocks: (Omit<SplitBatch, "counts" | "indices" | "data"> & { readonly offset: Promise<number> })[] = [];
  await withWriter(storage, async (writer) => {
    for await (const part of runTaskJobs(task, [0, rows ?? 0], options)) {
      if (part.kind !== "batches") throw new TypeError("batches were asked for");
      for (const { columns } of part.batches) {
        for (let first = 0; first < columns[0].length; first += most) {
          options.signal?.throwIfAborted();
          const end = Math.min(columns[0].length, first + most);
          const { starts, parts } = splitBlock(columns[0], [first, end], groups);
          blocks.push({ lists: end - first, starts, ...(await writer.append(parts)) });
        }
      }
    }
  });
  const split: SplitBatch[] = [];
  for (const { lists, starts, offset } of blocks) {
    const counts = await offset;
    const indices = counts + 4 * lists * groups.count;
    split.push({ lists, starts, counts, indices, data: indices + 4 * starts[groups.count] });
  }
  return split;
}

/** Splits the lists [first, end) of a column into list lengths, positions and values, as bytes. */
function splitBlock(column: Column, range: readonly [first: number, end: number], groups: GroupMap) {
  if (column.layout !== "list" || column.child.layout !== "struct") throw new TypeError("lists of entries expected");
  const [index, value] = column.child.children;
  if (index.layout !== "primitive" || !(index.values instanceof Int32Array)) throw new TypeError("positions expected");
  const { starts, counts, minor, places } = splitEntries(index.values, column.offsets, range, groups);
  const [shape] = getWordShapes(value.type);
  const [words] = getColumnWords(value);
  const values = allocateWords(shape, places.length);
  const from = column.offsets[range[0]] * shape.step;
  scatterWords(words.subarray(from, from + places.length * shape.step), places, places.length, shape.step, values);
  return { starts, parts: [viewAsBytes(counts), viewAsBytes(minor), viewAsBytes(values)] };
}
