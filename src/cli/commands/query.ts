/** `annarrow query FILE… SQL` runs statements on files, in DuckDB. */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { openEngine, pickEngineKind } from "../../query/open-engine.node.js";
import type { NamedDataset } from "../../session/datasets.js";
import { Session } from "../../session/session.js";
import { listStatements } from "../../session/statements.js";
import { openTableFile } from "../../session/table-files.node.js";
import { type CliContext, INPUT } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { expandInputs } from "../files/file-pattern.js";
import { withDataset } from "../files/open-input.js";
import { readTextFile } from "../files/text-lines.js";
import { createChoiceOption } from "../options/choice.js";
import { addEngineOptions, type EngineFlags } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";
import { SAFE_TEXT } from "../options/output-options.js";
import { getQueryFormat, QUERY_FORMATS, type QueryFormat, writeStatementAnswer } from "./query-output.js";

interface Flags extends EngineFlags {
  readonly format?: QueryFormat;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly file?: string;
  readonly explain?: boolean;
  readonly safeText?: boolean;
  readonly union?: boolean;
  readonly files?: boolean;
  readonly cache?: boolean;
}

const EXAMPLES = `\
  annarrow query pbmc.h5ad "select cell_type, count(*) from obs group by 1"
  annarrow query pbmc.h5ad "select cell_type, avg(value) from obs join gene('CD3E') using (row) group by 1"
  annarrow query pbmc.h5ad "select * from var" --format csv | head
  annarrow query pbmc.h5ad "copy (select * from obs where age > 60) to 'old.parquet'"
  annarrow query pbmc.h5ad "select * from obs join 'donors.csv' using (donor)" --files
  annarrow query a.h5ad b.h5ad "select count(*) from a.obs join b.obs using (_index)"
  annarrow query 'runs/*.h5ad' "select filename, count(*) from obs group by 1"
  annarrow query pbmc.h5ad "select * from X where row < 10" --explain
  annarrow query pbmc.h5ad`;

const NOTES = `\
Tables have the names that "show tables" lists; names with a slash stand in double quotes: "obsm/X_umap". What describes rows and columns of the matrix also has their positions, as row and col; columns of the file that are called row, col or value are row_1, col_1 or value_1. A statement that names both row and col sees a dense matrix as its non-zeros: row, col, value. gene('CD3E') is a table of row and value over all cells, cells('AAAC-1', 'AAAG-1') one of row, col and value over all genes, zeros included.

Without a statement, a shell is opened on a terminal; elsewhere statements are read from stdin. Several files have their names before the dot: a.obs of a.h5ad, one.obs of one=runs/1.h5ad. A pattern in quotes, or --union, makes one table of the tables of all files, with a column filename.`;

export function defineQuery(command: Command, context: CliContext): void {
  command
    .usage("[options] <file...> [sql]")
    .argument("<file...>", `${INPUT}; name=file gives it a name; behind the files, statements in DuckDB's SQL`)
    .addOption(
      createChoiceOption(
        "--format <format>",
        "form of the answer (default: table, or by the extension of -o)",
        QUERY_FORMATS,
      ),
    )
    .option("-o, --output <file>", "write to a file instead of stdout")
    .option("--overwrite", "replace what is there")
    .option("--safe-text", SAFE_TEXT)
    .option("--explain", "tell what would be read of each table, and why, instead of the answer")
    .option("--file <file>", "read the statements from a file")
    .option("--union", "the tables of all files as one table each, with a column filename")
    .option("--files", "let statements name files of tables: from 'donors.csv'")
    .option(
      "--cache",
      "copy matrices by genes, as annarrow index does, and keep what DuckDB reads of large ones for later statements",
    )
    .action((args: string[], flags: Flags) => query(args, flags, context));
  addEngineOptions(command);
  addExamples(command, EXAMPLES, NOTES);
}

async function query(args: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { output, file } = flags;
  const { files, sql } = file === undefined ? splitFilesAndStatement(args) : { files: args, sql: null };
  const format = flags.format ?? (output === undefined ? "table" : getQueryFormat(output));
  const isShell = sql === null && file === undefined && process.stdin.isTTY === true;
  const statements = isShell ? [] : listStatements(sql ?? (await statementText(file)));
  if (!isShell && statements.length === 0) throw new UsageError("no statement: give one behind the files");
  if (output !== undefined && (isShell || statements.length > 1)) {
    throw new UsageError(`-o takes the answer of one statement: write copy (…) to '${output}'`);
  }
  const { inputs, union } = await queryInputs(files, flags.union ?? false);
  const cache = flags.cache ? await import("./query-cache.js") : null;
  await cache?.copyInputs(inputs, context);
  await withDatasets(inputs, context, async (datasets) => {
    // Native DuckDB has temporary files to remove. DuckDB-WASM blocks the thread, so that no signal handler could run.
    const engine = pickEngineKind(flags.engine);
    // The shell handles Ctrl-C itself.
    if (engine === "native") context.listen({ exceptInterrupt: isShell });
    const cached = (await cache?.openQueryCache(datasets, context)) ?? null;
    const open = () => openEngine({ ...flags, engine, keptIn: cached?.folders ?? [] });
    const session = new Session(
      { datasets: cached?.datasets ?? datasets, union },
      { files: flags.files ? openTableFile : null, open },
    );
    try {
      if (isShell) {
        const { runShell } = await import("./query-shell.js");
        return await runShell(
          session,
          { format, overwrite: flags.overwrite ?? false, safeText: flags.safeText ?? false },
          context,
        );
      }
      for (const statement of statements) await writeStatementAnswer(session, statement, { ...flags, format }, context);
    } finally {
      await session.close();
      await cached?.makeRoom();
    }
  });
}

/** Reads statements from a file or stdin. */
async function statementText(file: string | undefined): Promise<string> {
  if (file !== undefined) return readTextFile(file);
  const { text } = await import("node:stream/consumers");
  return text(process.stdin);
}

/** Opens the files one after the other, and closes all of them at the end. */
async function withDatasets(
  [first, ...others]: readonly NamedInput[],
  context: CliContext,
  action: (datasets: readonly NamedDataset[]) => Promise<void>,
): Promise<void> {
  if (first === undefined) return action([]);
  await withDataset(first.path, context, (dataset) =>
    withDatasets(others, context, (rest) => action([{ ...first, dataset }, ...rest])),
  );
}

// The files of a query with the names that statements have for them.

/** A file, and its name in statements: the part before the dot in `name.obs`. */
interface NamedInput {
  readonly name: string;
  readonly path: string;
}

interface QueryInputs {
  readonly inputs: readonly NamedInput[];
  /** True if equally named tables of all files are combined into one table with a column `filename`. */
  readonly union: boolean;
}

const STARTS =
  /^[\s(]*(select|from|with|values|table|show|describe|desc|summarize|copy|create|insert|update|delete|drop|alter|set|pragma|explain|call|pivot|unpivot|attach|install|load)\b/i;

/**
 * Splits the arguments into files and the statement. The statement is the last argument, if it begins like a statement
 * or contains spaces, and is not the name of a file.
 */
function splitFilesAndStatement(args: readonly string[]): { files: readonly string[]; sql: string | null } {
  const last = args.at(-1) ?? "";
  const isStatement = args.length > 1 && !existsSync(last) && (STARTS.test(last) || /\s/.test(last) || last === "");
  return isStatement ? { files: args.slice(0, -1), sql: last } : { files: args, sql: null };
}

/**
 * Names the input files: `name=path`, else the file's name up to its first dot. With a pattern, or with `union`, files
 * are named by their paths.
 * @throws {UsageError} where two files have the same name.
 * @throws {NotFoundError} for a pattern that matches nothing.
 */
async function queryInputs(files: readonly string[], union: boolean): Promise<QueryInputs> {
  const { paths, matched } = await expandInputs(files);
  if (matched || union) return { inputs: [...new Set(paths)].map((path) => ({ name: path, path })), union: true };
  const inputs = files.map(namedInput);
  const seen = new Map<string, string>();
  for (const { name, path } of inputs) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      throw new UsageError(
        `${other} and ${path} both have the name "${name}": give names, as one=${other} two=${path}, or ask them as one with --union`,
      );
    }
    seen.set(name.toLowerCase(), path);
  }
  return { inputs, union: false };
}

function namedInput(text: string): NamedInput {
  const named = /^([\p{L}_][\p{L}\p{N}_]*)=(.+)$/u.exec(text);
  if (named !== null && !existsSync(text)) return { name: named[1], path: named[2] };
  const last =
    text
      .replace(/[?#].*$/, "")
      .split(/[/\\]/)
      .findLast((segment) => segment !== "") ?? text;
  return { name: last.replace(/(?!^)\..*$/, ""), path: text };
}
