/** `annarrow convert IN OUT`. */

import { type Command, Option } from "commander";
import type { ConvertOptions } from "../convert.js";
import type { Layout } from "../dataset.js";
import type { ParquetCompression } from "../sinks/parquet.js";
import { type Context, thousands, warn, withStored } from "./context.js";
import { usage } from "./failure.js";
import { progressBar } from "./progress.js";

interface Flags {
  to?: string;
  table?: string[];
  layout?: Layout;
  positions?: boolean;
  compression?: ParquetCompression;
  lossy?: boolean;
  overwrite?: boolean;
}

const EXAMPLES = `
Examples:
  annarrow convert pbmc.h5ad pbmc/ --to parquet           one file per table, and manifest.json
  annarrow convert pbmc.h5ad obs.csv --table obs          one table alone
  annarrow convert pbmc.h5ad X.parquet --table X --layout dense
  annarrow convert pbmc.zarr - --table obs | duckdb …     an Arrow stream on stdout`;

export function addConvert(program: Command, context: Context): void {
  program
    .command("convert")
    .description("write the tables of a file as Parquet, Arrow or CSV")
    .argument("<in>", "file, folder or URL")
    .argument("<out>", "folder (with --to), .parquet .arrow .arrows .csv .tsv file, or - for stdout")
    .addOption(
      new Option("--to <format>", "format of the files in a folder").choices(["parquet", "arrow", "csv", "tsv"]),
    )
    .option("--table <name...>", "only these tables")
    .addOption(new Option("--layout <layout>", "form of matrices").choices(["coordinate", "list", "dense", "columns"]))
    .option("--positions", "add the columns row and col to what describes an axis")
    .addOption(new Option("--compression <codec>", "of Parquet").choices(["zstd", "snappy", "gzip", "lz4", "none"]))
    .option("--lossy", "leave out what cannot be read or written, with a warning")
    .option("--overwrite", "replace what is there")
    .addHelpText("after", EXAMPLES)
    .action((input: string, output: string, flags: Flags) => convert(input, output, flags, context));
}

async function convert(input: string, output: string, flags: Flags, context: Context): Promise<void> {
  const [{ outputOf }, { convertTo }] = await Promise.all([import("../output.js"), import("../convert.node.js")]);
  usage(() => outputOf(output, flags.to));
  const { table, ...rest } = flags;
  const bar = await progressBar();
  const options: ConvertOptions = {
    ...rest,
    ...(table === undefined ? {} : { tables: table }),
    signal: context.signal,
    onProgress: bar.update,
  };
  const converted = withStored(input, context, (dataset) => convertTo(dataset, output, options), { whole: true });
  const result = await converted.finally(bar.stop);
  await warn(result.warnings);
  if (output === "-") return;
  const rows = result.tables.reduce((sum, written) => sum + written.rows, 0);
  const tables = result.tables.length === 1 ? "1 table" : `${thousands(result.tables.length)} tables`;
  process.stderr.write(`${output}: ${tables}, ${thousands(rows)} rows\n`);
}
