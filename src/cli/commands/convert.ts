/** `annarrow convert IN OUT`. */

import { type Command, InvalidArgumentError } from "commander";
import type { AnyConvertOptions, ConvertResult } from "../../api/convert.js";
import { convertTo } from "../../api/convert.node.js";
import type { OpenedDataset, OpenedTable } from "../../api/opened-dataset.js";
import { isFileWithin, parseOutput } from "../../formats/output.js";
import type { Layout } from "../../model/dataset.js";
import { type CliContext, getOutputWebOptions, getWebOptions, INPUT, thousands, warn } from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { expandInputs } from "../files/file-pattern.js";
import { withStored } from "../files/open-input.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addFormatOptions, impliedFormat } from "../options/format-options.js";
import { addElementFile, indexColumn, type Pairs } from "../options/name-pairs.js";
import {
  addOutputOptions,
  type OutputFlags,
  pickGivenOptions,
  repeated,
  toOutputOptions,
} from "../options/output-options.js";
import { addPartOptions, type PartFlags, selectChosenPart } from "../options/part-options.js";

interface Flags extends PartFlags, OutputFlags {
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

/** Inputs that are converted at a time: one reads and decodes while the other writes. */
const JOBS = 2;

const EXAMPLES = `\
  annarrow convert pbmc.h5ad pbmc.zarr                    AnnData, in another container
  annarrow convert pbmc.bpcells pbmc.h5ad                 and back
  annarrow convert pbmc.h5ad b.h5ad --obs "cell_type = 'B cell' and n_counts > 100" --var-names markers.txt
  annarrow convert pbmc.h5ad pbmc.loom --lossy            without what Loom has no place for
  annarrow convert pbmc.h5ad pbmc/ --to parquet           one file per table, and manifest.json
  annarrow convert pbmc.h5ad obs.csv --table obs          one table alone
  annarrow convert runs/*.h5ad out/ --to zarr             out/a.zarr, out/b.zarr, …`;

const NOTES = `\
Several inputs: each is written into the folder, under its own name with the ending of --to; tables as Parquet, Arrow or CSV as a folder with its name, or with one --table as one file. Inputs that fail are listed at the end (exit code 1), all other outputs stay. One input with a name that ends with "/": formats of one file (.h5ad, .loom, …) are written into that folder, formats that are folders (.zarr, --to parquet, …) as that folder; a pattern in quotes, or --jobs, always means "into".

Without <in>: --X, --obs, --var and --element name Parquet or Arrow files, whose tables become the elements. The file of X has the columns row, col and value, or one list of index and value for each row. With --shape, such a file may be <in>, too.

A .mat file that annarrow did not write: --X, --obs, --var and --element name its variables.`;

const MORE_EXAMPLES = `
More examples:
  annarrow convert pbmc.h5ad pbmc.bpcells --table X       BPCells, packed; features as rows, cells as columns
  annarrow convert pbmc.h5ad top.h5ad --obs-sql "select row from obs order by n_counts desc limit 500"
  annarrow convert pbmc.h5ad small.zarr --elements X,obs,var,obsm/X_umap --obs-slice 0:1000
  annarrow convert pbmc.h5ad counts.h5ad --X layers/counts
  annarrow convert pbmc.h5ad pbmc.h5mu --as rna           the modality rna of a MuData
  annarrow convert pbmc.h5mu rna.h5ad --modality rna      and back
  annarrow convert pbmc.h5ad pbmc.zarr --compression keep the chunks of matrices as they are: about as fast as a copy
  annarrow convert velocyto.loom pbmc.h5ad --matrix layers/spliced --var-attr Accession
  annarrow convert pbmc.h5ad pbmc.h5 --to bpcells --group rna --table layers/counts
  annarrow convert fragments.tsv.gz atac.bpcells --lossy  without the counts of reads
  annarrow convert pbmc.h5ad pbmc.duckdb                  a database of DuckDB, with a view X_named
  annarrow convert pbmc.h5ad X.parquet --table X --layout dense
  annarrow convert pbmc.h5ad X.csv --table X --layout dense   cells x genes, with their names
  annarrow convert pbmc.h5ad s3://bucket/pbmc.zarr        an output in the cloud: s3://, gs://, az://
  annarrow convert pbmc.zarr - --table obs | duckdb …     an Arrow stream on stdout
  annarrow convert grpc://host:8815/pbmc.h5ad pbmc.zarr   a dataset of annarrow serve
  annarrow convert pbmc.h5ad pbmc.mat                     variables X, obs, var; structs layers, obsm, uns
  annarrow convert data.mat pbmc.h5ad --X counts --obs cells --var genes --index obs=barcode
  annarrow convert --X counts.parquet --obs cells.parquet --var genes.parquet out.h5ad
  annarrow convert counts.parquet out.h5ad --shape 2700,18000`;

export function defineConvert(command: Command, context: CliContext): void {
  command
    .usage(
      "[options] <in> <out>\n       annarrow convert [options] --to <format> <in...> <folder>\n       annarrow convert [options] --X <file> --obs <file> --var <file> <out>\n       annarrow convert [options] --X <variable> --obs <variable> --var <variable> <in.mat> <out>",
    )
    .argument("<in>", `${INPUT}; several, or a pattern in quotes, get one output each, named after the input`)
    .argument(
      "[out]",
      "folder (with --to), .h5ad .zarr .zarr.zip .loom .h5mu .mat .bpcells .h5seurat, .rds (with --to or --seurat), .parquet .arrow .arrows .csv .tsv .duckdb file, fragments.tsv.gz, or - for stdout",
    )
    .argument("[more...]", "with several inputs: the other inputs, and at the end the folder for the outputs")
    .action((first: string, second: string | undefined, more: string[], flags: Flags) =>
      convert([first, ...(second === undefined ? [] : [second]), ...more], flags, context),
    );
  const output = addOutputOptions(command, {
    to: "format, where the name does not say it",
    lossy: "leave out what cannot be read or written, with a warning",
    overwrite: "replace what is there",
  });
  addFormatOptions(output, "Output")
    .option("--matrix <name>", "table that becomes the matrix of another format, as layers/counts (default: X)")
    .option("--jobs <number>", `inputs that are converted at a time (default: ${JOBS})`, parseJobCount);
  addPartOptions(command)
    .option("--X <element>", "the layer that becomes X, as layers/counts; or raw/X, with raw/var")
    .option("--sort-obs <column>", "sort the cells by a column of obs; cells without a value are last")
    .optionsGroup("Tables (Parquet, Arrow, CSV):")
    .option("--table <name>", "only this table; repeatable", repeated)
    .addOption(createChoiceOption("--layout <layout>", "form of matrices", ["coordinate", "list", "dense", "columns"]))
    .option("--positions", "add the columns row and col to what describes an axis")
    .optionsGroup("From tables or variables (see below):")
    .option(
      "--element <name=file>",
      "file or variable of any element, as obsm/X_pca=pca.parquet; repeatable",
      addElementFile,
    )
    .option("--index <name=column>", "column with the names of rows, as obs=barcode; repeatable", indexColumn)
    .option("--shape <rows,columns>", "of the matrix, where no --obs and --var tell", parseMatrixShape);
  addFormatOptions(command, null);
  addExamples(command, EXAMPLES, NOTES).addHelpText("after", MORE_EXAMPLES);
}

async function convert(names: readonly string[], given: Flags, context: CliContext): Promise<void> {
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

/** @throws {UsageError} for flags that choose from inputs where there is none. */
function checkNamed(flags: Flags, context: CliContext): void {
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
  flags: Flags,
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
  const { jobs = JOBS } = flags;
  const ending = findBatchEnding(folder, flags.to, flags.table?.length === 1);
  const items = planBatchItems(inputs, { folder, ending });
  await runBatch(items, { jobs, folder }, context.signal, async ({ input, output }, how) => {
    const options = { ...convertOptions(flags), ...getOutputWebOptions(output, context), ...how };
    const result = await fromFile(input, output, { flags, files, options }, context);
    return { line: summary(output, result), warnings: result.warnings };
  });
}

function convertOptions(flags: Flags): AnyConvertOptions {
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

/** The flags of a conversion from a file; `files` are variables of a .mat file by the elements that they become. */
interface FromFile {
  readonly flags: Flags;
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

function parseJobCount(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}

/** `rows,columns` */
function parseMatrixShape(text: string): readonly [number, number] {
  const found = /^(\d{1,15})[,x](\d{1,15})$/.exec(text);
  if (found === null) throw new InvalidArgumentError("It must be two numbers, as 2700,18000.");
  return [Number(found[1]), Number(found[2])];
}
