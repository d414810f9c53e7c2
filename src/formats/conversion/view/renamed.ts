/** Turns a table into a different element, with a new name and new metadata. */

import type { TableMetadata } from "../../../model/dataset.js";
import type { ColumnTable } from "../../../tables/column-table.js";

export function createRenamedTable(table: ColumnTable, name: string, metadata: TableMetadata | null): ColumnTable {
  const { only } = table;
  return {
    ...table,
    name,
    metadata,
    asRead: null,
    layout: async (layout) => {
      const other = await table.layout(layout);
      return createRenamedTable(other, name, metadata === null ? null : ofLayout(metadata, other.metadata));
    },
    only: only && ((fields) => createRenamedTable(only(fields), name, metadata)),
    batches: (options) => table.batches(options),
  };
}

/** Returns the metadata with the order and layout of another of the table's layouts. */
function ofLayout({ layout: _, order: __, ...metadata }: TableMetadata, other: TableMetadata | null): TableMetadata {
  return {
    ...metadata,
    order: other?.order,
    layout: other?.layout,
  };
}
