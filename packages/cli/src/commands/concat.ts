/** The arguments and options of `annarrow concat`. */

import { type Command, InvalidArgumentError } from "commander";
import type { ConcatFlags } from "../actions/concat.js";
import { type CliContext, INPUT } from "../context/context.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addOutputOptions } from "../options/output-options.js";

const STRATEGIES = ["same", "unique", "first", "only"];

const EXAMPLES = `\
  annarrow concat a.h5ad b.zarr c.loom -o all.h5ad --join outer --label sample --index-unique -
  annarrow concat runs/*.h5ad -o all.zarr --merge same --uns-merge unique
  annarrow concat --inputs files.txt -o all.h5ad --label batch
  annarrow concat rna.h5ad atac.h5ad -o both.h5ad --axis var
  annarrow concat run1.bpcells run2.bpcells -o all.bpcells --index-unique -     fragments, as c() in BPCells`;

export function defineConcat(command: Command, context: CliContext): void {
  command
    .argument("[in...]", INPUT)
    .usage("[options] <in...> -o <out>")
    .optionsGroup("Concatenation:")
    .addOption(createChoiceOption("--axis <axis>", "axis along which the files follow each other", ["obs", "var"]))
    .addOption(
      createChoiceOption("--join <join>", "inner (default): names that all files have; outer: all names", [
        "inner",
        "outer",
      ]),
    )
    .addOption(createChoiceOption("--merge <strategy>", "what is kept of the other axis (default: names)", STRATEGIES))
    .addOption(createChoiceOption("--uns-merge <strategy>", "what is kept of uns (default: nothing)", STRATEGIES))
    .option("--label <column>", "new column with the key of each row's file")
    .option(
      "--keys <names>",
      "keys of the files, as a,b,c (default: their names, or their paths where names repeat)",
      (text) => text.split(","),
    )
    .option("--index-unique <text>", "add this text and the file's key to the names of rows")
    .option("--fill-value <number>", "value where a file lacks a name (default: 0 if sparse, NaN if dense)", fillValue)
    .addOption(
      createChoiceOption(
        "--missing-integers <form>",
        "integers of a column that some files lack: null (default), or float with NaN",
        ["null", "float"],
      ),
    )
    .option("--modality <name>", "the modality that is taken of each MuData")
    .option("--pairwise", "keep obsp (along var: varp), as blocks along the diagonal")
    .option("--inputs <file>", "a file with one input a line, after the inputs of the command")
    .optionsGroup("Output:")
    .option("-o, --output <file>", ".h5ad .zarr .zarr.zip .loom .mat, or a folder (with --to)")
    .action(async (inputs: string[], flags: ConcatFlags) => {
      const { concat } = await import("../actions/concat.js");
      await concat(inputs, flags, context);
    });
  addOutputOptions(command, {
    to: "format, where the name does not say it",
    lossy: "round large integers, and leave out what cannot be read or written, with a warning",
    overwrite: "replace what is there",
  });
  addExamples(command, EXAMPLES);
}

function fillValue(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("It must be a number, or nan.");
}
