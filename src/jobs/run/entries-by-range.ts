/** Groups entries by band within blocks of lists: the first step of a transposition. */

import type { Column } from "../../arrow/column.js";
import { sliceColumn } from "../../arrow/take.js";
import { getColumnWords, getWordShapes, getWordsInMemory } from "../../arrow/value-words.js";
import { findUnsortedList } from "../../kernels/sparse/entry-order.js";
import {
  type EntriesByRange,
  type EntryRanges,
  getMaxListCount,
  scatterByKey,
} from "../../kernels/sparse/entry-ranges.js";
import { computeRangeStarts, scatterWords } from "../../kernels/sparse/scatter.js";
import type { JobMemory } from "../memory/buffer-pool.js";
import type { Batch } from "../rows/task.js";

/**
 * Returns the entries of a batch of lists, usually as one block.
 * @param first number of the batch's first list in the table.
 * @param memory memory for the blocks; if null, new memory is used.
 */
export function groupEntriesByRange(
  { length, columns: [lists] }: Batch,
  first: number,
  bands: EntryRanges,
  memory: JobMemory | null,
): EntriesByRange[] {
  if (lists.layout !== "list" || lists.child.layout !== "struct") throw new TypeError("lists of entries expected");
  const [index, value] = lists.child.children;
  const blocks: EntriesByRange[] = [];
  for (let list = 0; list < length; list += getMaxListCount(bands)) {
    const count = Math.min(length - list, getMaxListCount(bands));
    const offsets = lists.offsets.subarray(list, list + count + 1);
    const [start, end] = [offsets[0], offsets[count]];
    const minor = int32(sliceColumn(index, start, end));
    const entries = blockOf({ offsets, minor, value: sliceColumn(value, start, end) }, bands, memory);
    blocks.push({ first: first + list, lists: count, ...entries });
  }
  return blocks;
}

interface Lists {
  readonly offsets: Int32Array;
  readonly minor: Int32Array;
  readonly value: Column;
}

function blockOf({ offsets, minor, value }: Lists, bands: EntryRanges, memory: JobMemory | null) {
  const take = (bytes: number) => memory?.take(bytes) ?? new Uint8Array(bytes);
  const { length } = minor;
  const starts = computeRangeStarts(minor, length, bands);
  const rises = findUnsortedList(offsets, new Uint32Array(minor.buffer, minor.byteOffset, length)) < 0;
  const memoryOfKeys = take(4 * length);
  const keys = new Int32Array(memoryOfKeys.buffer, memoryOfKeys.byteOffset, length);
  const places = new Uint32Array(length);
  scatterByKey(offsets, minor, bands, starts.slice(0, bands.count), places, keys);
  const shapes = getWordShapes(value.type);
  const values = getColumnWords(value).map((words, i) => {
    const shape = shapes[i];
    const target = getWordsInMemory(shape, take(length * shape.bytes * shape.step));
    scatterWords(words, places, length, shape.step, target);
    return target;
  });
  return { rises, starts, keys, values };
}

function int32(column: Column): Int32Array {
  if (column.layout === "primitive" && column.values instanceof Int32Array) {
    return column.values.subarray(0, column.length);
  }
  throw new TypeError("an axis of more than 2^31 positions has no bands");
}
