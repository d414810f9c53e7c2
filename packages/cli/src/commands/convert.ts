/** The arguments and options of `annarrow convert`. */

import { type Command, InvalidArgumentError } from "commander";
import type { ConvertFlags } from "../actions/convert.js";
import { type CliContext, INPUT } from "../context/context.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { addFormatOptions } from "../options/format-options.js";
import { addElementFile, indexColumn } from "../options/name-pairs.js";
import { addOutputOptions, DEFAULT_JOBS, repeated } from "../options/output-options.js";
import { addPartOptions } from "../options/part-options.js";

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
    .action(async (first: string, second: string | undefined, more: string[], flags: ConvertFlags) => {
      const { convert } = await import("../actions/convert.js");
      await convert([first, ...(second === undefined ? [] : [second]), ...more], flags, context);
    });
  const output = addOutputOptions(command, {
    to: "format, where the name does not say it",
    lossy: "leave out what cannot be read or written, with a warning",
    overwrite: "replace what is there",
  });
  addFormatOptions(output, "Output")
    .option("--matrix <name>", "table that becomes the matrix of another format, as layers/counts (default: X)")
    .option("--jobs <number>", `inputs that are converted at a time (default: ${DEFAULT_JOBS})`, parseJobCount);
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
