/** The arguments and options of `annarrow inspect`. */

import type { Command } from "commander";
import type { InspectFlags } from "../actions/inspect.js";
import { type CliContext, INPUT } from "../context/context.js";
import { addExamples } from "../options/examples.js";

const EXAMPLES = `\
  annarrow inspect pbmc.h5ad
  annarrow inspect pbmc.h5ad --table obs                all columns of a table
  annarrow inspect pbmc.zarr --json | jq '.tables[].name'`;

export function defineInspect(command: Command, context: CliContext): void {
  command
    .argument("<file>", INPUT)
    .option("--json", "all that is known, for programs")
    .option("--table <name>", "all columns of one table, or the tables below a path, as uns")
    .action(async (file: string, flags: InspectFlags) => {
      const { inspect } = await import("../actions/inspect.js");
      await inspect(file, flags, context);
    });
  addExamples(command, EXAMPLES);
}
