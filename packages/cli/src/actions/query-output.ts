/** Writes the result of a statement as text or in a single-table format, to stdout or a file. */

import type { DataTable } from "annarrow";
import type { Session } from "annarrow/core/query";
import { type CliContext, thousands, warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import {
  getQueryFormat,
  isQueryFormat,
  QUERY_FORMATS,
  type QueryFormat,
  refuseSafeText,
} from "../options/query-format.js";
import { MAX_SHOWN_ROWS, printResult } from "../tables/print-result.js";
import type { AnswerFile } from "./answer-file.js";

/** Where the result is written, and in which format. */
export interface AnswerOutput {
  readonly format: QueryFormat;
  readonly output?: string;
  readonly overwrite?: boolean;
  /** In CSV and TSV, writes a `'` before text that spreadsheets would run as a formula. */
  readonly safeText?: boolean;
  /** Describes what would be read instead of returning the result. */
  readonly explain?: boolean;
}

/** Executes one statement and writes the result to stdout, to the file given by `-o`, or to the file in `copy`. */
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
  else {
    const { writeAnswer } = await import("./answer-file.js");
    await writeAnswer(rows, { file: output, format, overwrite, safeText }, context);
  }
}

async function showAnswer(
  answer: DataTable,
  { format, safeText }: Pick<AnswerFile, "format" | "safeText">,
  context: CliContext,
): Promise<void> {
  refuseSafeText(safeText, format);
  if (format === "table") return printResult(answer, MAX_SHOWN_ROWS, context);
  const { streamAnswer } = await import("./answer-file.js");
  await streamAnswer(answer, { format, safeText }, context);
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
  flags: Pick<AnswerFile, "overwrite" | "safeText">,
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
  const { writeAnswer } = await import("./answer-file.js");
  return writeAnswer(answer, { file, format, overwrite, safeText: flags.safeText }, context);
}
