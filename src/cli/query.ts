/** `annarrow query FILE SQL`: the tables and columns that the statement names, in DuckDB. */

import { type Command, Option } from "commander";
import { type CliContext, INPUT, withDataset } from "./context.js";
import { addEngineOptions, type EngineFlags } from "./engine-options.js";
import { progressBar } from "./progress.js";
import { formatOfFile, QUERY_FORMATS, type QueryFormat, showAnswer, writeAnswer } from "./query-output.js";

interface Flags extends EngineFlags {
  format?: QueryFormat;
  output?: string;
  overwrite?: boolean;
  explain?: boolean;
}

const EXAMPLES = `
Tables have the names that inspect shows; names with a slash stand in double quotes: "obsm/X_umap".
What describes rows and columns of the matrix also has their positions, as row and col. A statement that names both
sees a dense matrix as its non-zeros: row, col, value.

Examples:
  annarrow query pbmc.h5ad "select cell_type, count(*) from obs group by 1"
  annarrow query pbmc.h5ad "select cell_type, avg(value) from X join obs using (row) join var using (col)
                            where symbol = 'CD3E' group by 1"
  annarrow query pbmc.h5ad "select * from var" --format csv | head
  annarrow query pbmc.h5ad "select * from X where row < 10" --explain`;

export function addQuery(program: Command, context: CliContext): void {
  const command = program
    .command("query")
    .description("answer SQL about a file; only the tables, columns and entries that it needs are read")
    .argument("<file>", INPUT)
    .argument("<sql>", "a statement in DuckDB's SQL")
    .addOption(
      new Option("--format <format>", "form of the answer (default: table, or by the extension of -o)").choices(
        QUERY_FORMATS,
      ),
    )
    .option("-o, --output <file>", "write to a file instead of stdout")
    .option("--overwrite", "replace what is there")
    .option("--explain", "tell what would be read of each table, and why, instead of the answer")
    .addHelpText("after", EXAMPLES)
    .action((file: string, sql: string, flags: Flags) => query(file, sql, flags, context));
  addEngineOptions(command);
}

async function query(file: string, sql: string, flags: Flags, context: CliContext): Promise<void> {
  const { output } = flags;
  const format = flags.format ?? (output === undefined ? "table" : formatOfFile(output));
  await withDataset(file, context, async (dataset) => {
    const [{ openEngine }, { answerStatement, explainStatement }, { explanationTable }] = await Promise.all([
      import("../query/open-engine.node.js"),
      import("../query/answer.js"),
      import("../query/explanation.js"),
    ]);
    const isNative = flags.engine === "native";
    // Native DuckDB has temporary files to remove. DuckDB-WASM blocks the thread, which hears no signal then.
    if (isNative) context.listen();
    const engine = await openEngine(flags);
    const bar = await progressBar();
    try {
      // The plans of native DuckDB, another version, are not read.
      const options = { signal: context.signal, onProgress: bar.update, whole: isNative };
      const answered = flags.explain
        ? explainStatement(dataset, sql, engine, options).then(explanationTable)
        : answerStatement(dataset, sql, engine, options);
      const answer = await answered.finally(bar.stop);
      if (output === undefined) await showAnswer(answer, format, context);
      else await writeAnswer(answer, { file: output, format, overwrite: flags.overwrite ?? false }, context);
    } finally {
      await engine.close();
    }
  });
}
