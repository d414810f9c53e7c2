/** The rows of a statement as a table. */

import type { RecordBatch, Schema } from "apache-arrow";
import type { BatchOptions, DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { readTable } from "../../tables/record-batch.js";
import { largerBatches } from "./larger-batches.js";

/** A table of the batches of a statement's rows, which can be read once, in larger batches. */
export function resultTable(schema: Schema, batches: AsyncIterable<RecordBatch>): DataTable {
  let read = false;
  const table: DataTable = {
    name: "result",
    schema,
    rows: null,
    metadata: { kind: "dataframe" },
    derived: false,
    axis: null,
    layouts: [],
    layout: async (layout) => {
      throw new InvalidInputError(`the result of a statement has no layout "${layout}"`);
    },
    async *batches(options: BatchOptions = {}) {
      if (read) throw new InvalidInputError("the result of a statement can be read once");
      read = true;
      for await (const batch of largerBatches(schema, batches)) {
        options.signal?.throwIfAborted();
        yield batch;
      }
    },
    read: (options) => readTable(table, options),
  };
  return table;
}
