/** The arguments and options of `annarrow head`. */

import { type Command, InvalidArgumentError } from "commander";
import type { HeadFlags } from "../actions/head.js";
import { type CliContext, INPUT } from "../context/context.js";
import { addExamples } from "../options/examples.js";

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
    .action(async (file: string, table: string | undefined, flags: HeadFlags) => {
      const { head } = await import("../actions/head.js");
      await head(file, table, flags, context);
    });
  addExamples(command, EXAMPLES);
}

function parseRowCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
