/** `annarrow head FILE TABLE`: the first rows of a table. */

import { type Command, InvalidArgumentError } from "commander";
import type { DataTable } from "../../model/dataset.js";
import { overrideTable } from "../../tables/batch-table.js";
import { type CliContext, INPUT } from "../context/context.js";
import { withDataset } from "../files/open-input.js";
import { addExamples } from "../options/examples.js";
import { printResult } from "../tables/print-result.js";

interface Flags {
  rows: number;
}

const ROWS = 10;

const EXAMPLES = `\
  annarrow head pbmc.h5ad obs
  annarrow head pbmc.h5ad obsm/X_umap --rows 3
  annarrow head pbmc.h5ad X --rows 100`;

export function defineHead(command: Command, context: CliContext): void {
  command
    .argument("<file>", INPUT)
    .argument("[table]", "name of the table, as inspect shows it (default: obs, of Loom col_attrs, else the first)")
    .option("-n, --rows <number>", "number of rows", parseRowCount, ROWS)
    .action((file: string, table: string | undefined, flags: Flags) => head(file, table, flags, context));
  addExamples(command, EXAMPLES);
}

async function head(file: string, name: string | undefined, { rows }: Flags, context: CliContext): Promise<void> {
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

function parseRowCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
