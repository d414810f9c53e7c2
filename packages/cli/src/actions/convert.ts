/** `annarrow convert IN OUT`. */

import type { ConvertResult, Layout } from "annarrow";
import type { AnyConvertOptions, OpenedDataset, OpenedTable } from "annarrow/core/api";
import { isFileWithin, parseOutput } from "annarrow/core/formats";
import { convertTo } from "annarrow/node/api";
import { type CliContext, getOutputWebOptions, getWebOptions, thousands, warn } from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { expandInputs } from "../files/file-pattern.js";
import { withStored } from "../files/open-input.js";
import { impliedFormat } from "../options/format-options.js";
import type { Pairs } from "../options/name-pairs.js";
import { DEFAULT_JOBS, type OutputFlags, pickGivenOptions, toOutputOptions } from "../options/output-options.js";
import type { PartFlags } from "../options/part-options.js";
import { selectChosenPart } from "./chosen-part.js";

export interface ConvertFlags extends PartFlags, OutputFlags {
  readonly table?: readonly string[];
  readonly layout?: Layout;
  readonly positions?: boolean;
  readonly sortObs?: string;
  readonly matrix?: string;
  readonly shape?: readonly [number, number];
  readonly index?: Pairs;
  readonly element?: Pairs;
  readonly jobs?: number;
}

export async function convert(names: readonly string[], given: ConvertFlags, context: CliContext): Promise<void> {
  const implied = impliedFormat(given.formatOptions);
  const flags = implied === undefined || given.to !== undefined ? given : { ...given, to: implied };
  const { to, obs, var: variables, X, element } = flags;
  const files = { ...element, ...named("X", X), ...named("obs", obs), ...named("var", variables) };
  const output = names[names.length - 1];
  if (Object.keys(files).length > 0 && names.length === 1) {
    checkNamed(flags, context);
    checkUsage(() => parseOutput(output, to));
    const { convertNamedTables } = await import("./convert-named-tables.js");
    return convertOne(output, flags, context, (options) => convertNamedTables(files, output, options, context));
  }
  if (names.length === 1) throw new UsageError("missing the output: annarrow convert IN OUT");
  const { paths, matched } = await expandInputs(names.slice(0, -1), getWebOptions(context));
  const [input] = paths;
  if (paths.length > 1 || matched || flags.jobs !== undefined || isFileWithin(output, to)) {
    return convertAll(paths, output, { flags, files }, context);
  }
  checkUsage(() => parseOutput(output, to));
  return convertOne(output, flags, context, (options) => fromFile(input, output, { flags, files, options }, context));
}

/** @throws {UsageError} for flags that select from inputs, if there is no input. */
function checkNamed(flags: ConvertFlags, context: CliContext): void {
  if (flags.jobs !== undefined) throw new UsageError("--jobs is about several inputs, and there is none");
  if (context.path !== undefined || context.follow.length > 0) {
    throw new UsageError("--path and --follow say what of IN is opened, and there is none");
  }
  const { modality, obsNames, varNames, obsSlice, varSlice, elements, drop, dropUnused, rename } = flags;
  const { obsSql, varSql } = flags;
  const choices = [
    modality,
    obsNames,
    varNames,
    obsSql,
    varSql,
    obsSlice,
    varSlice,
    elements,
    drop,
    dropUnused,
    rename,
    flags.sortObs,
  ];
  if (choices.some((choice) => choice !== undefined)) {
    throw new UsageError("cells, genes and elements are chosen from IN, and there is none");
  }
}

/** Converts with a progress bar, and names the output on stderr. */
async function convertOne(
  output: string,
  flags: ConvertFlags,
  context: CliContext,
  action: (options: AnyConvertOptions) => Promise<ConvertResult>,
): Promise<void> {
  const bar = await createProgressBar();
  const result = await action({
    ...convertOptions(flags),
    ...getOutputWebOptions(output, context),
    onProgress: bar.update,
  }).finally(bar.stop);
  warn(result.warnings);
  if (output !== "-") process.stderr.write(`${summary(output, result)}\n`);
}

/** Converts each of several inputs into the folder. */
async function convertAll(
  inputs: readonly string[],
  folder: string,
  { flags, files }: Pick<FromFile, "flags" | "files">,
  context: CliContext,
): Promise<void> {
  const { planBatchItems, findBatchEnding, runBatch } = await import("./batch.js");
  const { jobs = DEFAULT_JOBS } = flags;
  const ending = findBatchEnding(folder, flags.to, flags.table?.length === 1);
  const items = planBatchItems(inputs, { folder, ending });
  await runBatch(items, { jobs, folder }, context.signal, async ({ input, output }, how) => {
    const options = { ...convertOptions(flags), ...getOutputWebOptions(output, context), ...how };
    const result = await fromFile(input, output, { flags, files, options }, context);
    return { line: summary(output, result), warnings: result.warnings };
  });
}

function convertOptions(flags: ConvertFlags): AnyConvertOptions {
  const { table, layout, positions, sortObs, matrix, shape, index } = flags;
  return {
    ...toOutputOptions(flags),
    ...pickGivenOptions({ tables: table, layout, positions, sortObs, matrix, shape, index }),
  };
}

function summary(output: string, result: ConvertResult): string {
  const rows = result.tables.reduce((sum, written) => sum + written.rows, 0);
  const tables = result.tables.length === 1 ? "1 table" : `${thousands(result.tables.length)} tables`;
  return `${output}: ${tables}, ${thousands(rows)} rows`;
}

function named(name: string, file: string | undefined): Record<string, string> {
  return file === undefined ? {} : { [name]: file };
}

/** The flags of a conversion from a file. `files` maps elements to the variables of a .mat file that become them. */
interface FromFile {
  readonly flags: ConvertFlags;
  readonly files: Pairs;
  readonly options: AnyConvertOptions;
}

async function fromFile(
  input: string,
  output: string,
  { flags, files, options }: FromFile,
  context: CliContext,
): Promise<ConvertResult> {
  const action = async (dataset: OpenedDataset<OpenedTable>) => {
    const { X, obs, var: variables, ...others } = flags;
    if (dataset.format === "matlab") {
      if (flags.rename !== undefined) {
        throw new UsageError("variables of a .mat file become elements by --X, --obs, --var and --element");
      }
      const isNamed = Object.keys(files).length > 0;
      if (isNamed && (flags.elements !== undefined || flags.drop !== undefined)) {
        throw new UsageError(
          "--X, --obs, --var and --element choose the variables already: leave out --elements and --drop",
        );
      }
      const { part, tables } = await selectChosenPart(dataset, others, context.signal);
      const elements = isNamed ? files : options.elements;
      return convertTo(part, output, { ...options, elements, tables: tables ?? options.tables });
    }
    if (flags.element !== undefined) {
      throw new UsageError("--element names a variable of a .mat file, or a file where there is no IN");
    }
    const { part, tables } = await selectChosenPart(dataset, flags, context.signal);
    return convertTo(part, output, { ...options, tables: tables ?? options.tables });
  };
  return withStored(input, context, action, { whole: true });
}
