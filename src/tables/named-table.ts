/** A table under another name. */

import type { BatchOptions, DataTable } from "../dataset.js";
import { rowAxis } from "./axes.js";

/** `table` as the element `name` of an AnnData; its schema and rows are not changed. */
export function namedTable(table: DataTable, name: string): DataTable {
  const { schema, rows, metadata, derived, layouts } = table;
  return {
    name,
    schema,
    rows,
    metadata,
    derived,
    axis: rowAxis(name),
    layouts,
    layout: async (layout) => namedTable(await table.layout(layout), name),
    batches: (options?: BatchOptions) => table.batches(options),
    read: (options?: BatchOptions) => table.read(options),
  };
}
