/** `annarrow query FILE SQL`: the tables and columns that the statement names, in DuckDB. */

import { type Command, Option } from "commander";
import type { DataTable } from "../model/dataset.js";
import { type CliContext, INPUT, warn, withDataset } from "./context.js";
import { UsageError } from "./failure.js";
import { progressBar } from "./progress.js";

const FORMATS = ["table", "csv", "json", "arrow", "parquet"] as const;
type QueryFormat = (typeof FORMATS)[number];

interface Flags {
  format?: QueryFormat;
  output?: string;
  overwrite?: boolean;
}

const EXAMPLES = `
Tables have the names that inspect shows; names with a slash stand in double quotes: "obsm/X_umap".
What describes rows and columns of the matrix also has their positions, as row and col. A statement that names both
sees a dense matrix as its non-zeros: row, col, value.

Examples:
  annarrow query pbmc.h5ad "select cell_type, count(*) from obs group by 1"
  annarrow query pbmc.h5ad "select cell_type, avg(value) from X join obs using (row) join var using (col)
                            where symbol = 'CD3E' group by 1"
  annarrow query pbmc.h5ad "select * from var" --format csv | head`;

export function addQuery(program: Command, context: CliContext): void {
  program
    .command("query")
    .description("answer SQL about a file; only the tables and columns that it names are read")
    .argument("<file>", INPUT)
    .argument("<sql>", "a statement in DuckDB's SQL")
    .addOption(
      new Option("--format <format>", "form of the answer (default: table, or by the extension of -o)").choices(
        FORMATS,
      ),
    )
    .option("-o, --output <file>", "write to a file instead of stdout")
    .option("--overwrite", "replace what is there")
    .addHelpText("after", EXAMPLES)
    .action((file: string, sql: string, flags: Flags) => query(file, sql, flags, context));
}

async function query(file: string, sql: string, flags: Flags, context: CliContext): Promise<void> {
  const format = flags.format ?? formatOf(flags.output);
  await withDataset(file, context, async (dataset) => {
    const [{ openDuckDB }, { answerStatement }] = await Promise.all([
      import("../sinks/duckdb/duckdb.node.js"),
      import("../query/answer.js"),
    ]);
    const engine = await openDuckDB();
    const bar = await progressBar();
    try {
      const options = { signal: context.signal, onProgress: bar.update };
      const answer = await answerStatement(dataset, sql, engine, options).finally(bar.stop);
      await write(answer, format, flags, context);
    } finally {
      await engine.close();
    }
  });
}

function formatOf(output: string | undefined): QueryFormat {
  if (output === undefined) return "table";
  const extension = /\.([^./\\]+)$/.exec(output)?.[1].toLowerCase();
  const format =
    extension === "jsonl" || extension === "ndjson" ? "json" : FORMATS.find((known) => known === extension);
  if (format === undefined)
    throw new UsageError(`${output} does not say which format to write: add --format csv|json|arrow|parquet`);
  return format;
}

async function write(result: DataTable, format: QueryFormat, flags: Flags, context: CliContext): Promise<void> {
  if (format === "table" && flags.output === undefined) {
    const { printResult } = await import("./print-result.js");
    return printResult(result, context);
  }
  const [{ encodeTable }, { fileTarget, streamTarget }, { oneFile }] = await Promise.all([
    import("../sinks/directory/encode.js"),
    import("../targets/file.node.js"),
    import("../targets/target.js"),
  ]);
  if (format === "table") throw new UsageError("a table is printed, not written: choose another --format for -o");
  const as = format === "arrow" && flags.output === undefined ? "arrows" : format;
  const overwrite = { overwrite: flags.overwrite ?? false };
  if (flags.output !== undefined) {
    await (await import("../api/overlap.node.js")).refuseOverlap(flags.output);
    context.listen();
  }
  const target =
    flags.output === undefined ? streamTarget(process.stdout) : oneFile(await fileTarget(flags.output, overwrite));
  try {
    await target.write("result", encodeTable(result, as, { signal: context.signal }));
    await target.commit();
    await warn(target.warnings ?? []);
  } catch (error) {
    await target.abort();
    throw error;
  }
}
