/** Writes the result of a statement as text or in a single-table format, to stdout or a file. */

import { writeTable } from "../../api/write-table.node.js";
import type { DataTable } from "../../model/dataset.js";
import type { Session } from "../../session/session.js";
import { type CliContext, getOutputWebOptions, thousands, warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { getQueryFormat, isQueryFormat, QUERY_FORMATS, type QueryFormat } from "../options/query-format.js";
import { MAX_SHOWN_ROWS, printResult } from "../tables/print-result.js";

/** Where and in which format the result is written. */
export interface AnswerOutput {
  readonly format: QueryFormat;
  readonly output?: string;
  readonly overwrite?: boolean;
  /** Writes a `'` before text of CSV and TSV that spreadsheets run as a formula. */
  readonly safeText?: boolean;
  /** Describes what would be read instead of returning the result. */
  readonly explain?: boolean;
}

/** Executes one statement and writes the result to stdout, the file of -o, or the file that `copy` specifies. */
export async function writeStatementAnswer(
  session: Session,
  statement: string,
  { format, output, overwrite = false, safeText = false, explain = false }: AnswerOutput,
  context: CliContext,
): Promise<void> {
  const bar = await createProgressBar();
  const how = { signal: context.signal, onProgress: bar.update };
  const { rows, copy, warnings } = await (explain
    ? session.explain(statement, how).then((rows) => ({ rows, copy: null, warnings: [] }))
    : session.answer(statement, how)
  ).finally(bar.stop);
  warn(warnings);
  if (copy !== null) {
    const count = await copyAnswer(rows, copy.file, copy.options, { overwrite, safeText }, context);
    process.stderr.write(`${count === 1 ? "1 row" : `${thousands(count)} rows`} to ${copy.file}\n`);
  } else if (output === undefined) await showAnswer(rows, { format, safeText }, context);
  else await writeAnswer(rows, { file: output, format, overwrite, safeText }, context);
}

async function showAnswer(
  answer: DataTable,
  { format, safeText }: Pick<FileOutput, "format" | "safeText">,
  context: CliContext,
): Promise<void> {
  refuseSafeText(safeText, format);
  if (format === "table") return printResult(answer, MAX_SHOWN_ROWS, context);
  await writeTable("-", answer, { format: format === "arrow" ? "arrows" : format, safeText, signal: context.signal });
}

interface FileOutput {
  readonly file: string;
  readonly format: QueryFormat;
  readonly overwrite: boolean;
  readonly safeText: boolean;
}

function refuseSafeText(safeText: boolean, format: QueryFormat): void {
  if (safeText && format !== "csv" && format !== "tsv")
    throw new UsageError(`only csv and tsv have --safe-text, and the answer is ${format}`);
}

/**
 * Writes the result to a file, completely or not at all.
 * @returns the number of rows.
 */
async function writeAnswer(
  answer: DataTable,
  { file, format, overwrite, safeText }: FileOutput,
  context: CliContext,
): Promise<number> {
  if (format === "table") throw new UsageError("a table is printed, not written: choose another format for a file");
  context.listen();
  refuseSafeText(safeText, format);
  const { rows, warnings } = await writeTable(file, answer, {
    ...{ format, safeText, overwrite },
    ...getOutputWebOptions(file, context),
  });
  warn(warnings);
  return rows;
}

/**
 * Writes the result to the file that `copy … to 'file' (format …, overwrite true)` names.
 * @returns the number of rows.
 * @throws {UsageError} for unknown options.
 */
async function copyAnswer(
  answer: DataTable,
  file: string,
  options: ReadonlyMap<string, string>,
  flags: Pick<FileOutput, "overwrite" | "safeText">,
  context: CliContext,
): Promise<number> {
  for (const name of options.keys()) {
    if (name !== "format" && name !== "overwrite") {
      throw new UsageError(`copy has no option "${name}" here: there are format and overwrite`);
    }
  }
  const format = options.get("format") ?? getQueryFormat(file);
  if (!isQueryFormat(format) || format === "table") {
    throw new UsageError(`copy writes no format "${format}": there are ${QUERY_FORMATS.slice(1).join(", ")}`);
  }
  const overwrite = flags.overwrite || options.get("overwrite") === "true";
  return writeAnswer(answer, { file, format, overwrite, safeText: flags.safeText }, context);
}
