/** `annarrow concat IN… -o OUT`. */

import { type Command, InvalidArgumentError } from "commander";
import { type ConcatOptions, concatDatasets } from "../../api/concat.js";
import { convertTo } from "../../api/convert.node.js";
import { createReopenedInput } from "../../api/reopened-input.node.js";
import { parseOutput } from "../../formats/output.js";
import type { Dataset } from "../../model/dataset.js";
import { createInputKeys } from "../../model/input-name.js";
import {
  type CliContext,
  getOutputWebOptions,
  getWebOptions,
  INPUT,
  openOptions,
  thousands,
  warn,
} from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { expandInputs } from "../files/file-pattern.js";
import { readTextLines } from "../files/text-lines.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addOutputOptions, type OutputFlags, toOutputOptions } from "../options/output-options.js";

interface Flags extends Omit<ConcatOptions, "lossy" | "signal">, OutputFlags {
  readonly output?: string;
  readonly inputs?: string;
}

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
    .action((inputs: string[], flags: Flags) => concat(inputs, flags, context));
  addOutputOptions(command, {
    to: "format, where the name does not say it",
    lossy: "round large integers, and leave out what cannot be read or written, with a warning",
    overwrite: "replace what is there",
  });
  addExamples(command, EXAMPLES);
}

async function concat(given: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { output, inputs: list, to } = flags;
  if (output === undefined) throw new UsageError("missing the output: annarrow concat IN… -o OUT");
  const { paths } = await expandInputs(given, getWebOptions(context));
  const inputs = [...paths, ...(list === undefined ? [] : (await readTextLines(list)).filter((line) => line !== ""))];
  if (inputs.length === 0) throw new UsageError("missing the inputs: annarrow concat IN… -o OUT");
  checkUsage(() => parseOutput(output, to));
  const { signal } = context;
  const all = await concatDatasets(inputs, { keys: createInputKeys(inputs), ...flags, signal }, (input: string) =>
    createReopenedInput(input, openOptions(context)),
  );
  try {
    const bar = await createProgressBar();
    const result = await convertTo(all, output, {
      ...toOutputOptions(flags),
      ...getOutputWebOptions(output, context),
      onProgress: bar.update,
    }).finally(bar.stop);
    warn(result.warnings);
    if (output !== "-") {
      process.stderr.write(
        `${output}: ${thousands(inputs.length)} ${inputs.length === 1 ? "dataset" : "datasets"}, ${sizeOf(all)}\n`,
      );
    }
  } finally {
    await all.close();
  }
}

function sizeOf({ shape, tables }: Pick<Dataset, "shape" | "tables">): string {
  if (shape !== null) return `${thousands(shape[0])} observations, ${thousands(shape[1])} variables`;
  const rows = tables.get("fragments")?.rows ?? null;
  return rows === null ? "fragments" : `${thousands(rows)} fragments`;
}

function fillValue(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("It must be a number, or nan.");
}
