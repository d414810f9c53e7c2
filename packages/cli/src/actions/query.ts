/** `annarrow query FILE… SQL` runs statements on files, in DuckDB. */

import { existsSync } from "node:fs";
import type { NamedDataset } from "annarrow/core/query";
import { listStatements, Session } from "annarrow/core/query";
import { openEngine, openTableFile, pickEngineKind } from "annarrow/node/query";
import type { CliContext } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { expandInputs } from "../files/file-pattern.js";
import { withDataset } from "../files/open-input.js";
import { readTextFile } from "../files/text-lines.js";
import type { EngineFlags } from "../options/engine-options.js";
import { getQueryFormat, type QueryFormat } from "../options/query-format.js";
import { writeStatementAnswer } from "./query-output.js";

export interface QueryFlags extends EngineFlags {
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

export async function query(args: readonly string[], flags: QueryFlags, context: CliContext): Promise<void> {
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
    // Native DuckDB has temporary files to remove. DuckDB-WASM blocks the thread, so no signal handler could run.
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

// The files of a query, and their names in statements.

/** A file, and its name in statements: the part before the dot in `name.obs`. */
interface NamedInput {
  readonly name: string;
  readonly path: string;
}

interface QueryInputs {
  readonly inputs: readonly NamedInput[];
  /** True if tables that have the same name in all files are combined into one table with a column `filename`. */
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
 * Names the input files: by `name` in `name=path`, otherwise by the file's name up to its first dot. With a pattern, or
 * with `union`, files are named by their paths.
 * @throws {UsageError} if two files have the same name.
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
