/** A stored table as writers take it. No Arrow object is made. */

import type { ColumnBatch } from "../../arrow/column.js";
import type { ColumnTable } from "../column-table.js";
import type { StoredTable } from "../stored-table.js";

/** @param only places of the fields that are read; all by default. */
export function storedColumnTable(table: StoredTable, only?: readonly number[]): ColumnTable {
  const schemaMetadata = new Map(table.schemaMetadata);
  schemaMetadata.delete("annarrow");
  return {
    name: table.name,
    fields: only?.map((place) => table.fields[place]) ?? table.fields,
    metadata: table.metadata,
    schemaMetadata,
    rows: table.rows,
    derived: table.derived,
    origin: table.origin === null ? null : { dataset: table.origin, name: table.name },
    asRead: only === undefined ? table.asRead : null,
    repeatable: true,
    layouts: only === undefined ? table.layouts : [],
    layout: async (layout) => storedColumnTable(await table.layout(layout)),
    only: (fields) => storedColumnTable(table, only === undefined ? fields : fields.map((place) => only[place])),
    async *batches({ signal, reuse = false } = {}): AsyncGenerator<ColumnBatch> {
      const options = { ...(only === undefined ? {} : { fields: only }), ...(signal === undefined ? {} : { signal }) };
      const batchBytes = reuse ? table.reusedBatchBytes : table.batchBytes;
      for await (const part of table.parts({ kind: "batches", batchBytes, reuse }, options)) {
        if (part.kind !== "batches") throw new TypeError("batches were asked for");
        yield* part.batches;
      }
    },
  };
}
