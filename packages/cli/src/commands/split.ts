/** The arguments and options of `annarrow split`. */

import { type Command, InvalidArgumentError } from "commander";
import type { SplitFlags } from "../actions/split.js";
import { type CliContext, INPUT } from "../context/context.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addOutputOptions } from "../options/output-options.js";
import { addPartOptions } from "../options/part-options.js";

const EXAMPLES = `\
  annarrow split pbmc.h5ad by-donor/ --by donor                one .h5ad for each donor, and split.json
  annarrow split pbmc.h5ad types/ --by cell_type --to zarr --drop-unused
  annarrow split pbmc.h5ad parts/ --rows 10000                 10,000 cells in each file
  annarrow split pbmc.h5ad genes/ --axis var --by chromosome
  annarrow split pbmc.h5ad b/ --by donor --obs "cell_type = 'B cell'" --elements X,obs,var`;

const NOTES = `\
Cells without a value go to no-value.h5ad. Characters of a value that no file name can have become %XX; split.json has the values.`;

export function defineSplit(command: Command, context: CliContext): void {
  command
    .argument("<in>", INPUT)
    .argument("<folder>", "folder for the outputs, which appears when all are complete")
    .optionsGroup("Split:")
    .option("--by <column>", "column of obs: one output for each of its values")
    .option("--rows <number>", "number of cells of each output", parsePartRows)
    .addOption(createChoiceOption("--axis <axis>", "axis that is split", ["obs", "var"]).default("obs"))
    .action(async (input: string, folder: string, flags: SplitFlags) => {
      const { split } = await import("../actions/split.js");
      await split(input, folder, flags, context);
    });
  addOutputOptions(command, {
    to: "format of the outputs (default: h5ad, of a MuData h5mu)",
    lossy: "leave out what cannot be read or written, with a warning",
    overwrite: "replace a folder of parts that is there",
  });
  addPartOptions(command);
  addExamples(command, EXAMPLES, NOTES);
}

function parsePartRows(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
