import type { DataTable } from "../model/dataset.js";

/** The members of a table that is not necessarily a plain object. */
export function plainTable(table: DataTable): DataTable {
  const { name, schema, rows, metadata, derived, axis, layouts } = table;
  return {
    name,
    schema,
    rows,
    metadata,
    derived,
    axis,
    layouts,
    layout: (layout) => table.layout(layout),
    batches: (options) => table.batches(options),
    read: (options) => table.read(options),
  };
}
