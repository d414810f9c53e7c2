/** `annarrow query FILE SQL`: the tables and columns that the statement names, in DuckDB. */

import { type Command, Option } from "commander";
import type { Dataset, DataTable, Layout } from "../dataset.js";
import { InvalidInputError } from "../errors.js";
import { type Context, withDataset } from "./context.js";
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

export function addQuery(program: Command, context: Context): void {
  program
    .command("query")
    .description("answer SQL about a file; only the tables and columns that it names are read")
    .argument("<file>", "file, folder or URL")
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

async function query(file: string, sql: string, flags: Flags, context: Context): Promise<void> {
  const format = flags.format ?? formatOf(flags.output);
  await withDataset(file, context, async (dataset) => {
    const { openDuckDB } = await import("../sinks/duckdb.node.js");
    const { loadIntoDuckDB } = await import("../sinks/duckdb.js");
    const named = await namedIn(sql, dataset);
    const database = await openDuckDB();
    const bar = await progressBar();
    try {
      const options = { signal: context.signal, onProgress: bar.update };
      await loadIntoDuckDB(dataset, database.connection, { ...named, ...options }).finally(bar.stop);
      await write(await answer(database, sql, dataset, named.tables, context.signal), format, flags, context);
    } finally {
      database.close();
    }
  });
}

async function answer(
  database: { query(sql: string, signal?: AbortSignal): Promise<DataTable> },
  sql: string,
  dataset: Dataset,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<DataTable> {
  try {
    return await database.query(sql, signal);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const hint = hintFor(error.problem, dataset, tables);
    throw hint === null ? error : new InvalidInputError(`${error.problem.replace(/ Did you mean.*/, "")} ${hint}`);
  }
}

/** DuckDB knows only what was loaded; what there is besides is ours to say. */
function hintFor(problem: string, dataset: Dataset, tables: readonly string[]): string | null {
  if (/Table with name .* does not exist/.test(problem)) return `The file has ${listed([...dataset.tables.keys()])}`;
  if (!/Referenced column .* not found/.test(problem) || tables.length === 0) return null;
  const columns = tables.map((name) => {
    const { axis, schema } = dataset.table(name);
    return `${name} has ${listed([...schema.fields.map((field) => field.name), ...(axis === null ? [] : [axis])])}`;
  });
  return columns.join("; ");
}

function listed(names: readonly string[]): string {
  const quoted = names.slice(0, 20).map((name) => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`));
  return [...new Set(quoted), ...(names.length > 20 ? ["…"] : [])].join(", ");
}

/** Tables and columns to load. A statement that needs no column (`count(*)`) still needs one, for the rows. */
async function namedIn(sql: string, dataset: Dataset) {
  const [{ sqlNames }, { withPositions }] = await Promise.all([
    import("./sql-names.js"),
    import("../tables/positions.js"),
  ]);
  const names = sqlNames(sql);
  const known = [...dataset.tables.keys(), ...dataset.failures.keys()];
  const tables = known.filter((name) => names.hasTable(name));
  const columns = new Map<string, readonly string[]>();
  const layout = new Map<string, Layout>();
  for (const name of tables) {
    const stored = dataset.table(name);
    // A dense matrix whose row and column are both asked for is meant as coordinates.
    const asCoordinates = stored.layouts.includes("coordinate") && names.hasWord("row") && names.hasWord("col");
    if (asCoordinates) layout.set(name, "coordinate");
    const table = withPositions(asCoordinates ? await stored.layout("coordinate") : stored);
    const available = table.schema.fields.map((field) => field.name);
    const meant = names.columnsOf(name, available);
    columns.set(name, meant.length === 0 ? available.slice(-1) : meant);
  }
  return { tables, columns: Object.fromEntries(columns), layout: Object.fromEntries(layout) };
}

function formatOf(output: string | undefined): QueryFormat {
  if (output === undefined) return "table";
  const extension = /\.([^./\\]+)$/.exec(output)?.[1].toLowerCase();
  const format =
    extension === "jsonl" || extension === "ndjson" ? "json" : FORMATS.find((known) => known === extension);
  if (format === undefined) throw new UsageError(`${output} does not say which format to write: add --format`);
  return format;
}

async function write(result: DataTable, format: QueryFormat, flags: Flags, context: Context): Promise<void> {
  if (format === "table" && flags.output === undefined) {
    const { printResult } = await import("./print-result.js");
    return printResult(result, context);
  }
  const [{ encodeTable }, { fileTarget }, { oneFile }, { streamTarget }] = await Promise.all([
    import("../sinks/encode.js"),
    import("../targets/file.node.js"),
    import("../targets/one-file.js"),
    import("../targets/stream.node.js"),
  ]);
  if (format === "table") throw new UsageError("a table is printed, not written: choose another --format for -o");
  const as = format === "arrow" && flags.output === undefined ? "arrows" : format;
  const overwrite = { overwrite: flags.overwrite ?? false };
  const target =
    flags.output === undefined ? streamTarget(process.stdout) : oneFile(await fileTarget(flags.output, overwrite));
  try {
    await target.write("result", encodeTable(result, as, { signal: context.signal }));
    await target.commit();
  } catch (error) {
    await target.abort();
    throw error;
  }
}
