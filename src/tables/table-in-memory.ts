/** Converts a caller's apache-arrow table to a `DataTable`. */

import { type Table as ArrowTable, type RecordBatch, Schema } from "apache-arrow";
import { emptyData } from "../arrow/apache/raw-data.js";
import { DEFAULT_BATCH_BYTES } from "../jobs/run/runner.js";
import type { BatchOptions, DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { checkBatchOptions } from "../model/table-options.js";
import { createBatchTable } from "./batch-table.js";
import { findColumnPositions, recordBatch, sliceBatch, splitBatchBySize } from "./record-batch.js";

/** Wraps an Arrow table. `name` is used in error messages. A table without batches gets one empty batch. */
export function createMemoryTable(table: ArrowTable, name = "table"): DataTable {
  const { schema, numRows: rows } = table;
  const batches = (options?: BatchOptions) => batchesOf(table, name, options);
  return createBatchTable({ name, schema, rows, batches }, "a table in memory has one form");
}

async function* batchesOf(table: ArrowTable, name: string, options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
  checkBatchOptions(options);
  const { columns, rows, batchBytes = DEFAULT_BATCH_BYTES, signal } = options;
  if (options.where !== undefined || options.fragments !== undefined) {
    throw new InvalidInputError("a table in memory is read by rows and columns", { element: name });
  }
  const all = table.schema.fields;
  const names = all.map((field) => field.name);
  const places = columns === undefined ? names.map((_, i) => i) : findColumnPositions(names, columns, name);
  const schema = new Schema(
    places.map((place) => all[place]),
    table.schema.metadata,
  );
  let some = false;
  for (const batch of rows === undefined ? table.batches : rowsOf(table, rows)) {
    for (const piece of splitBatchBySize(batch, batchBytes)) {
      signal?.throwIfAborted();
      some = true;
      const columns = places.map((place) => piece.data.children[place]);
      yield recordBatch(schema, piece.numRows, columns);
    }
  }
  if (some) return;
  const none = schema.fields.map((field) => emptyData(field.type));
  yield recordBatch(schema, 0, none);
}

/** Yields rows [start, end), counted across all batches. */
function* rowsOf({ batches }: ArrowTable, [start, end]: readonly [number, number]): Generator<RecordBatch> {
  let at = 0;
  for (const batch of batches) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, batch.numRows)];
    at += batch.numRows;
    if (from < to) yield sliceBatch(batch, from, to);
  }
}
