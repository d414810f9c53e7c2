/** `annarrow convert IN OUT`. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnyConvertOptions, ConvertResult } from "../api/convert.js";
import type { OpenedDataset, OpenedTable } from "../api/opened-dataset.js";
import { STORE_COMPRESSIONS } from "../formats/compression.js";
import { OUTPUT_FORMATS, outputOf } from "../formats/output.js";
import type { Layout } from "../model/dataset.js";
import { PARQUET_COMPRESSIONS } from "../parquet/write/compression.js";
import { type CliContext, INPUT, thousands, warn, webOptions, withStored } from "./context.js";
import { UsageError, usage } from "./failure.js";
import { addPartOptions, chosenElements, type PartFlags, partOf } from "./part-options.js";
import { progressBar } from "./progress.js";

interface Flags extends PartFlags {
  to?: string;
  table?: string[];
  layout?: Layout;
  positions?: boolean;
  compression?: NonNullable<AnyConvertOptions["compression"]>;
  level?: number;
  zarrFormat?: 2 | 3;
  anndata?: "portable" | "0.13";
  order?: "row" | "column";
  type?: "uint" | "float" | "double";
  unpacked?: boolean;
  group?: string;
  matrix?: string;
  loomVersion?: "3.0.0" | "2.0.1";
  matProfile?: "MATLAB" | "hdf5storage";
  obsAttr?: string;
  varAttr?: string;
  shape?: readonly [number, number];
  index?: Readonly<Record<string, string>>;
  X?: string;
  element?: Readonly<Record<string, string>>;
  lossy?: boolean;
  overwrite?: boolean;
}

const EXAMPLES = `
Examples:
  annarrow convert pbmc.h5ad pbmc.zarr                    AnnData, in another container
  annarrow convert pbmc.h5ad pbmc.bpcells --table X       BPCells, packed; features as rows, cells as columns
  annarrow convert pbmc.bpcells pbmc.h5ad                 and back
  annarrow convert pbmc.h5ad b.h5ad --obs "cell_type = 'B cell' and n_counts > 500" --var-names markers.txt
  annarrow convert pbmc.h5ad small.zarr --elements X,obs,var,obsm/X_umap --obs-slice 0:1000
  annarrow convert velocyto.loom pbmc.h5ad --matrix layers/spliced --var-attr Accession
  annarrow convert pbmc.h5ad pbmc.loom --lossy            without what Loom has no place for
  annarrow convert pbmc.h5ad pbmc.h5 --to bpcells --group rna --table layers/counts
  annarrow convert fragments.tsv.gz atac.bpcells --lossy  without the counts of reads
  annarrow convert pbmc.h5ad pbmc/ --to parquet           one file per table, and manifest.json
  annarrow convert pbmc.h5ad obs.csv --table obs          one table alone
  annarrow convert pbmc.h5ad X.parquet --table X --layout dense
  annarrow convert pbmc.zarr - --table obs | duckdb …     an Arrow stream on stdout
  annarrow convert grpc://host:8815/pbmc.h5ad pbmc.zarr   a dataset of annarrow serve
  annarrow convert pbmc.h5ad pbmc.mat                     variables X, obs, var; structs layers, obsm, uns
  annarrow convert data.mat pbmc.h5ad --X counts --obs cells --var genes --index obs=barcode
  annarrow convert --X counts.parquet --obs cells.parquet --var genes.parquet out.h5ad`;

export function addConvert(program: Command, context: CliContext): void {
  const command = program
    .command("convert")
    .description("write a file as .h5ad, .zarr, .h5mu, .loom, .mat or .bpcells, or its tables as Parquet, Arrow or CSV")
    .usage(
      "[options] <in> <out>\n       annarrow convert [options] --X <file> --obs <file> --var <file> <out>\n       annarrow convert [options] --X <variable> --obs <variable> --var <variable> <in.mat> <out>",
    )
    .argument("<in>", INPUT)
    .argument(
      "[out]",
      "folder (with --to), .h5ad .zarr .zarr.zip .loom .h5mu .mat .bpcells, .parquet .arrow .arrows .csv .tsv file, fragments.tsv.gz, or - for stdout",
    )
    .addOption(new Option("--to <format>", "format, where the name does not say it").choices(OUTPUT_FORMATS))
    .option("--table <name...>", "only these tables")
    .addOption(new Option("--layout <layout>", "form of matrices").choices(["coordinate", "list", "dense", "columns"]))
    .option("--positions", "add the columns row and col to what describes an axis")
    .addOption(
      new Option("--compression <codec>", "of Parquet or a store").choices([
        ...new Set([...PARQUET_COMPRESSIONS, ...STORE_COMPRESSIONS]),
      ]),
    )
    .option("--level <number>", "of a store's compression", wholeNumber)
    .addOption(new Option("--zarr-format <version>", "2 (default) or 3").choices(["2", "3"]).argParser(zarrFormat))
    .addOption(new Option("--anndata <version>", "encodings of new elements").choices(["portable", "0.13"]))
    .addOption(new Option("--order <order>", "of a BPCells matrix: its storage order").choices(["row", "column"]))
    .addOption(new Option("--type <type>", "of the values of a BPCells matrix").choices(["uint", "float", "double"]))
    .option("--unpacked", "BPCells: plain arrays instead of packed ones")
    .option("--group <path>", "BPCells in HDF5: the group that is written (default: the root)")
    .option("--matrix <name>", "table that becomes the matrix of another format, as layers/counts (default: X)")
    .addOption(new Option("--loom-version <version>", "3.0.0 (default) or 2.0.1").choices(["3.0.0", "2.0.1"]))
    .addOption(
      new Option("--mat-profile <profile>", "of .mat files: for MATLAB (default), or with Python's types").choices([
        "MATLAB",
        "hdf5storage",
      ]),
    )
    .option("--obs-attr <name>", "Loom, from or to: the attribute with the names of the cells (default: CellID)")
    .option("--var-attr <name>", "Loom, from or to: the attribute with the names of the genes (default: Gene)")
    .option(
      "--X <file>",
      "Parquet or Arrow file of the matrix: row, col, value; or one list a row; of a .mat: the variable",
    )
    .option(
      "--obs <condition>",
      "only the observations (cells) for which an SQL condition holds; of a .mat: the variable; without <in>: their file",
    )
    .option(
      "--var <condition>",
      "only the variables (genes) for which an SQL condition holds; of a .mat: the variable; without <in>: their file",
    )
    .option("--element <name=file>", "the same for any element, as obsm/X_pca=pca.parquet; repeatable", elementFile)
    .option("--index <name=column>", "column with the names of rows, as obs=barcode; repeatable", indexColumn)
    .option("--shape <rows,columns>", "of the matrix, where no --obs and --var tell", matrixShape)
    .option("--lossy", "leave out what cannot be read or written, with a warning")
    .option("--overwrite", "replace what is there")
    .addHelpText("after", EXAMPLES)
    .action((first: string, second: string | undefined, flags: Flags) => convert(first, second, flags, context));
  addPartOptions(command);
}

async function convert(first: string, second: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  const { to, table, obs, var: variables, X, element, unpacked, loomVersion, matProfile, ...rest } = flags;
  const { obsAttr, varAttr, obsNames, varNames, obsSlice, varSlice, elements, drop, dropUnused, ...writing } = rest;
  const files = { ...element, ...named("X", X), ...named("obs", obs), ...named("var", variables) };
  const isNamed = Object.keys(files).length > 0 && second === undefined;
  const output = isNamed ? first : second;
  if (output === undefined) throw new UsageError("missing the output: annarrow convert IN OUT");
  if (isNamed && (context.path !== undefined || context.follow.length > 0)) {
    throw new UsageError("--path and --follow say what of IN is opened, and there is none");
  }
  const choices = { obsNames, varNames, obsSlice, varSlice, elements, drop, dropUnused };
  if (isNamed && Object.values(choices).some((choice) => choice !== undefined)) {
    throw new UsageError("cells, genes and elements are chosen from IN, and there is none");
  }
  usage(() => outputOf(output, to));
  const bar = await progressBar();
  const options: AnyConvertOptions = {
    ...writing,
    ...(obsAttr === undefined ? {} : { obsNames: obsAttr }),
    ...(varAttr === undefined ? {} : { varNames: varAttr }),
    ...(table === undefined ? {} : { tables: table }),
    ...(unpacked ? { packed: false } : {}),
    ...(to === undefined ? {} : { format: to }),
    ...(loomVersion ? { version: loomVersion } : {}),
    ...(matProfile ? { profile: matProfile } : {}),
    signal: context.signal,
    onProgress: bar.update,
  };
  const converted = isNamed
    ? fromNamed(files, output, options, context)
    : fromFile(first, output, { flags, files, options }, context);
  const result = await converted.finally(bar.stop);
  await warn(result.warnings);
  if (output === "-") return;
  const rows = result.tables.reduce((sum, written) => sum + written.rows, 0);
  const tables = result.tables.length === 1 ? "1 table" : `${thousands(result.tables.length)} tables`;
  process.stderr.write(`${output}: ${tables}, ${thousands(rows)} rows\n`);
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
  const { convertTo } = await import("../api/convert.node.js");
  const action = async (dataset: OpenedDataset<OpenedTable>) => {
    const { obs, var: variables, ...others } = flags;
    if (dataset.format === "matlab") {
      const elements = Object.keys(files).length === 0 ? {} : { elements: files };
      return convertTo(await partOf(dataset, others, context.signal), output, { ...options, ...elements });
    }
    if (flags.X !== undefined || flags.element !== undefined) {
      throw new UsageError("--X and --element name variables of a .mat file, or files where there is no IN");
    }
    const part = await partOf(dataset, flags, context.signal);
    const tables = chosenElements([...part.tables.keys(), ...part.failures.keys()], flags);
    return convertTo(part, output, tables === null ? options : { ...options, tables });
  };
  return withStored(input, context, action, { whole: true });
}

async function fromNamed(
  files: Readonly<Record<string, string>>,
  output: string,
  options: AnyConvertOptions,
  context: CliContext,
): Promise<ConvertResult> {
  const { tables: only, layout, positions, compression, ...rest } = options;
  if (only !== undefined || layout !== undefined || positions) {
    throw new UsageError("--table, --layout and --positions choose from the tables of IN, and there is none");
  }
  const [{ namedTables }, { writeToPath }, { storeCompression }] = await Promise.all([
    import("../api/named-tables.node.js"),
    import("../api/write.node.js"),
    import("../formats/compression.js"),
  ]);
  const codec = compression === undefined ? {} : { compression: usage(() => storeCompression(compression)) };
  const { tables, close } = await namedTables(files, webOptions(context));
  try {
    return await writeToPath(output, tables, { ...rest, ...codec });
  } finally {
    await close();
  }
}

export function wholeNumber(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function zarrFormat(text: string): 2 | 3 {
  if (text === "2") return 2;
  if (text === "3") return 3;
  throw new InvalidArgumentError("Allowed choices are 2, 3.");
}

/** `rows,columns` */
export function matrixShape(text: string): readonly [number, number] {
  const found = /^(\d{1,15})[,x](\d{1,15})$/.exec(text);
  if (found === null) throw new InvalidArgumentError("It must be two numbers, as 2700,18000.");
  return [Number(found[1]), Number(found[2])];
}

type Pairs = Readonly<Record<string, string>>;

/** `name=file`, added to those before. */
export function elementFile(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=file, as obsm/X_pca=pca.parquet");
}

/** `name=column`, added to those before. */
export function indexColumn(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=column, as obs=barcode");
}

function pair(text: string, before: Pairs | undefined, form: string): Pairs {
  const found = /^([^=]+)=(.+)$/.exec(text);
  if (found === null) throw new InvalidArgumentError(`It must be ${form}.`);
  const [, name, value] = found;
  if (before !== undefined && Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: value };
}
