/** `annarrow split IN FOLDER`. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnySplitOptions } from "../api/split.node.js";
import { STORE_COMPRESSIONS } from "../formats/compression.js";
import { OUTPUT_FORMATS, outputOf } from "../formats/output.js";
import { PARQUET_COMPRESSIONS } from "../parquet/write/compression.js";
import { type CliContext, INPUT, thousands, warn, withStored } from "./context.js";
import { wholeNumber, zarrFormat } from "./convert.js";
import { UsageError, usage } from "./failure.js";
import { addPartOptions, chosenElements, type PartFlags, partOf } from "./part-options.js";
import { progressBar } from "./progress.js";

interface Flags extends PartFlags {
  by?: string;
  rows?: number;
  axis: "obs" | "var";
  to?: string;
  compression?: NonNullable<AnySplitOptions["compression"]>;
  level?: number;
  zarrFormat?: 2 | 3;
  lossy?: boolean;
  overwrite?: boolean;
}

const EXAMPLES = `
Examples:
  annarrow split pbmc.h5ad by-donor/ --by donor                one .h5ad for each donor, and split.json
  annarrow split pbmc.h5ad types/ --by cell_type --to zarr --drop-unused
  annarrow split pbmc.h5ad parts/ --rows 10000                 10,000 cells in each file
  annarrow split pbmc.h5ad genes/ --axis var --by chromosome
  annarrow split pbmc.h5ad b/ --by donor --obs "cell_type = 'B cell'" --elements X,obs,var

Cells without a value go to no-value.h5ad. Characters of a value that no file name can have become %XX; split.json has
the values.`;

export function addSplit(program: Command, context: CliContext): void {
  const command = program
    .command("split")
    .description("write a file as many, one for each value of a column, or for each number of cells")
    .argument("<in>", INPUT)
    .argument("<folder>", "folder for the outputs, which appears when all are complete")
    .option("--by <column>", "column of obs: one output for each of its values")
    .option("--rows <number>", "number of cells of each output", rowsOfPart)
    .addOption(new Option("--axis <axis>", "axis that is split").choices(["obs", "var"]).default("obs"))
    .addOption(new Option("--to <format>", "format of the outputs (default: h5ad)").choices(OUTPUT_FORMATS))
    .addOption(
      new Option("--compression <codec>", "of Parquet or a store").choices([
        ...new Set([...PARQUET_COMPRESSIONS, ...STORE_COMPRESSIONS]),
      ]),
    )
    .option("--level <number>", "of a store's compression", wholeNumber)
    .addOption(new Option("--zarr-format <version>", "2 (default) or 3").choices(["2", "3"]).argParser(zarrFormat))
    .option("--obs <condition>", "only the observations (cells) for which an SQL condition holds")
    .option("--var <condition>", "only the variables (genes) for which an SQL condition holds")
    .option("--lossy", "leave out what cannot be read or written, with a warning")
    .option("--overwrite", "replace a folder of parts that is there")
    .addHelpText("after", EXAMPLES)
    .action((input: string, folder: string, flags: Flags) => split(input, folder, flags, context));
  addPartOptions(command);
}

async function split(input: string, folder: string, flags: Flags, context: CliContext): Promise<void> {
  const { by, rows, axis, to, compression, level, zarrFormat: version, lossy, overwrite, dropUnused } = flags;
  if ((by === undefined) === (rows === undefined)) throw new UsageError("give either --by COLUMN or --rows NUMBER");
  if (folder === "-") throw new UsageError("many outputs need a folder, not the standard output");
  if (to !== undefined && to !== "10x") usage(() => outputOf("part", to));
  const { splitInto } = await import("../api/split.node.js");
  const bar = await progressBar();
  const result = await withStored(
    input,
    context,
    async (dataset) => {
      const part = await partOf(dataset, flags, context.signal);
      const tables = chosenElements([...part.tables.keys(), ...part.failures.keys()], flags);
      return splitInto(part, folder, {
        axis,
        ...given({ by, rows, compression, level, lossy, overwrite, dropUnused, zarrFormat: version }),
        ...(to === undefined ? {} : { format: to }),
        ...(tables === null ? {} : { tables }),
        signal: context.signal,
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

/** The options that have a value. */
function given<T extends object>(options: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) Object.assign(present, { [name]: value });
  return present;
}

export function rowsOfPart(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
