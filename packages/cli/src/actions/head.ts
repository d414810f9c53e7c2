/** `annarrow head FILE TABLE`: the first rows of a table. */

import type { DataTable } from "annarrow";
import { overrideTable } from "annarrow/core/tables";
import type { CliContext } from "../context/context.js";
import { withDataset } from "../files/open-input.js";
import { printResult } from "../tables/print-result.js";

export interface HeadFlags {
  rows: number;
}

export async function head(
  file: string,
  name: string | undefined,
  { rows }: HeadFlags,
  context: CliContext,
): Promise<void> {
  await withDataset(file, context, async (dataset) => {
    const [first = "obs"] = dataset.tables.keys();
    const cells = ["obs", "col_attrs"].find((frame) => dataset.tables.has(frame) || dataset.failures.has(frame));
    const table = dataset.table(name ?? cells ?? first);
    await printResult(selectFirstRows(table, rows), rows, context);
  });
}

/** Returns the table's first rows, and reads only them. */
function selectFirstRows(table: DataTable, rows: number): DataTable {
  const count = table.rows === null ? null : Math.min(rows, table.rows);
  return overrideTable(table, {
    rows: count,
    async *batches(options = {}) {
      if (count !== null) return yield* table.batches({ ...options, rows: [0, count] });
      let left = rows;
      for await (const batch of table.batches(options)) {
        yield batch.numRows <= left ? batch : batch.slice(0, left);
        left -= batch.numRows;
        if (left <= 0) return;
      }
    },
  });
}
