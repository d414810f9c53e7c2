/** A table without its rows, for statements that need only its columns. */

import type { DataTable } from "../model/dataset.js";
import { overrideTable } from "./batch-table.js";
import { sliceBatch } from "./record-batch.js";

/** Returns a table with the columns of `table` and no rows. No values are read. */
export function toRowlessTable(table: DataTable): DataTable {
  return overrideTable(table, {
    rows: table.rows === null ? null : 0,
    layout: async (layout) => toRowlessTable(await table.layout(layout)),
    async *batches(options) {
      for await (const batch of table.batches({
        ...options,
        batchBytes: 1,
        rows: table.rows === null ? options?.rows : [0, 0],
      })) {
        yield sliceBatch(batch, 0, 0);
        return;
      }
    },
  });
}
