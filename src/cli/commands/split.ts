/** `annarrow split IN FOLDER`. */

import { type Command, InvalidArgumentError } from "commander";
import { splitInto } from "../../api/split.node.js";
import { parseOutput } from "../../formats/output.js";
import { type CliContext, getOutputWebOptions, INPUT, thousands, warn } from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { withStored } from "../files/open-input.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addOutputOptions, type OutputFlags, pickGivenOptions, toOutputOptions } from "../options/output-options.js";
import { addPartOptions, type PartFlags, selectChosenPart } from "../options/part-options.js";

interface Flags extends PartFlags, OutputFlags {
  readonly by?: string;
  readonly rows?: number;
  readonly axis: "obs" | "var";
}

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
    .action((input: string, folder: string, flags: Flags) => split(input, folder, flags, context));
  addOutputOptions(command, {
    to: "format of the outputs (default: h5ad, of a MuData h5mu)",
    lossy: "leave out what cannot be read or written, with a warning",
    overwrite: "replace a folder of parts that is there",
  });
  addPartOptions(command);
  addExamples(command, EXAMPLES, NOTES);
}

async function split(input: string, folder: string, flags: Flags, context: CliContext): Promise<void> {
  const { by, rows, axis, to, dropUnused } = flags;
  if ((by === undefined) === (rows === undefined)) throw new UsageError("give either --by COLUMN or --rows NUMBER");
  if (folder === "-") throw new UsageError("many outputs need a folder, not the standard output");
  if (to !== undefined && to !== "10x") checkUsage(() => parseOutput("part", to));
  const bar = await createProgressBar();
  const result = await withStored(
    input,
    context,
    async (dataset) => {
      const { part, tables } = await selectChosenPart(dataset, flags, context.signal);
      return splitInto(part, folder, {
        axis,
        ...pickGivenOptions({ by, rows, dropUnused }),
        ...toOutputOptions(flags),
        tables: tables ?? undefined,
        ...getOutputWebOptions(folder, context),
        onProgress: bar.update,
      });
    },
    { whole: true },
  ).finally(bar.stop);
  warn(result.warnings);
  const count = result.parts.reduce((sum, part) => sum + part.count, 0);
  const outputs = result.parts.length === 1 ? "1 output" : `${thousands(result.parts.length)} outputs`;
  process.stderr.write(`${folder}: ${outputs}, ${thousands(count)} ${axis === "obs" ? "cells" : "genes"}\n`);
}

function parsePartRows(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
