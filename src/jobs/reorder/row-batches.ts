/** Reads all rows of an array as bytes, block by block. Workers decode numbers if that is faster. */

import type { Column } from "../../arrow/column.js";
import { getStoredArrowType } from "../../arrow/stored.js";
import { createField, nestType } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError } from "../../model/errors.js";
import { viewAsBytes } from "../../model/stored.js";
import { ArrayRowReader } from "../rows/array-row-reader.js";
import type { Task } from "../rows/task.js";
import { DEFAULT_BATCH_BYTES } from "../run/runner.js";
import { runTaskJobs } from "../workers/parts.js";

/** The bytes of a block of rows, valid until the next block is requested. */
export interface EncodedRowBatch {
  readonly block: number;
  readonly bytes: Uint8Array;
}

/** Yields blocks of `blockRows` rows of `rowBytes` bytes each. The last block may have fewer rows. */
export async function* readRowBatches(
  array: StoredArray,
  blockRows: number,
  rowBytes: number,
  options: ReadOptions,
): AsyncGenerator<EncodedRowBatch> {
  const [height = 0] = array.shape ?? [];
  const memory = new Uint8Array(Math.min(blockRows, height) * rowBytes);
  let block = 0;
  let length = 0;
  for await (const bytes of rowsOf(array, height, blockRows, options)) {
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(bytes.length - at, memory.length - length);
      memory.set(bytes.subarray(at, at + count), length);
      length += count;
      at += count;
      if (length < memory.length) continue;
      yield { block: block++, bytes: memory };
      length = 0;
    }
  }
  if (length > 0) yield { block, bytes: memory.subarray(0, length) };
}

/** Yields the bytes of all rows, in parts of any length. */
async function* rowsOf(
  array: StoredArray,
  height: number,
  blockRows: number,
  options: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const { type, shape } = array;
  // Columns of these types contain the bytes exactly as stored.
  if (type.kind === "int" || type.kind === "float") {
    const request = { kind: "batches", batchBytes: DEFAULT_BATCH_BYTES } as const;
    const fields = [createField("", nestType(getStoredArrowType(type), (shape ?? []).slice(1)), false)];
    const rows = { kind: "columns", columns: [{ kind: "array", array }] } as const;
    const task: Task = { rows, fields, selected: [0], text: "error", request };
    for await (const part of runTaskJobs(task, [0, height], options)) {
      if (part.kind !== "batches") throw new TypeError("batches were asked for");
      for (const { columns } of part.batches) yield numbersIn(columns[0]);
    }
    return;
  }
  const reader = new ArrayRowReader(array);
  for (let start = 0; start < height; start += blockRows) {
    options.signal?.throwIfAborted();
    const read = await reader.read(start, Math.min(height, start + blockRows), options, height);
    if (read.kind !== "fixed") throw new InvalidDataError("rows of one size were expected");
    yield viewAsBytes(read.values);
  }
}

function numbersIn(column: Column): Uint8Array {
  if (column.layout === "fixed-size-list") return numbersIn(column.child);
  if (column.layout !== "primitive") throw new TypeError("numbers were asked for");
  return viewAsBytes(column.values);
}
