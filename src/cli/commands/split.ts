/** `annarrow split IN FOLDER`. */

import { type Command, InvalidArgumentError } from "commander";
import { outputOf } from "../../formats/output.js";
import { type CliContext, INPUT, outputWeb, thousands, warn, withStored } from "../context/context.js";
import { UsageError, usage } from "../context/failure.js";
import { progressBar } from "../context/progress.js";
import { choice } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addOutputOptions, given, type OutputFlags, outputOptions } from "../options/output-options.js";
import { addPartOptions, chosenPart, type PartFlags } from "../options/part-options.js";

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

export function addSplit(program: Command, context: CliContext): void {
  const command = program
    .command("split")
    .description("write a file as many, one for each value of a column, or for each number of cells")
    .argument("<in>", INPUT)
    .argument("<folder>", "folder for the outputs, which appears when all are complete")
    .optionsGroup("Split:")
    .option("--by <column>", "column of obs: one output for each of its values")
    .option("--rows <number>", "number of cells of each output", rowsOfPart)
    .addOption(choice("--axis <axis>", "axis that is split", ["obs", "var"]).default("obs"))
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
  if (to !== undefined && to !== "10x") usage(() => outputOf("part", to));
  const { splitInto } = await import("../../api/split.node.js");
  const bar = await progressBar();
  const result = await withStored(
    input,
    context,
    async (dataset) => {
      const { part, tables } = await chosenPart(dataset, flags, context.signal);
      return splitInto(part, folder, {
        axis,
        ...given({ by, rows, dropUnused }),
        ...outputOptions(flags),
        tables: tables ?? undefined,
        ...outputWeb(folder, context),
        onProgress: bar.update,
      });
    },
    { whole: true },
  ).finally(bar.stop);
  await warn(result.warnings);
  const count = result.parts.reduce((sum, part) => sum + part.count, 0);
  const outputs = result.parts.length === 1 ? "1 output" : `${thousands(result.parts.length)} outputs`;
  process.stderr.write(`${folder}: ${outputs}, ${thousands(count)} ${axis === "obs" ? "cells" : "genes"}\n`);
}

export function rowsOfPart(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
