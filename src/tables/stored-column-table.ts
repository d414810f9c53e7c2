/** A stored table as writers take it. No Arrow object is made. */

import type { ColumnBatch } from "../arrow/column.js";
import { DEFAULT_BATCH_BYTES } from "../jobs/scan.js";
import type { ColumnTable } from "./column-table.js";
import type { StoredTable } from "./stored-table.js";

export function storedColumnTable(table: StoredTable): ColumnTable {
  const schemaMetadata = new Map(table.schemaMetadata);
  schemaMetadata.delete("annarrow");
  return {
    name: table.name,
    fields: table.fields,
    metadata: table.metadata,
    schemaMetadata,
    rows: table.rows,
    derived: table.derived,
    repeatable: true,
    layouts: table.layouts,
    layout: async (layout) => storedColumnTable(await table.layout(layout)),
    async *batches({ signal } = {}): AsyncGenerator<ColumnBatch> {
      const options = signal === undefined ? {} : { signal };
      for await (const part of table.parts({ kind: "batches", batchBytes: DEFAULT_BATCH_BYTES }, options)) {
        if (part.kind !== "batches") throw new TypeError("batches were asked for");
        yield* part.batches;
      }
    },
  };
}
