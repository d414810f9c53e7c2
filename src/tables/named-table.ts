/** A table under another name. */

import type { DataTable } from "../model/dataset.js";
import { rowAxis } from "./axes.js";
import { plainTable } from "./plain-table.js";

/** `table` as the element `name` of an AnnData; its schema and rows are not changed. */
export function namedTable(table: DataTable, name: string): DataTable {
  return {
    ...plainTable(table),
    name,
    axis: rowAxis(name),
    layout: async (layout) => namedTable(await table.layout(layout), name),
  };
}
