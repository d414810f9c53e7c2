/** Writes the result of a statement to stdout or to a file, in a single-table format. */

import type { DataTable } from "annarrow";
import { writeTable } from "annarrow/node/api";
import { type CliContext, getOutputWebOptions, warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { type QueryFormat, refuseSafeText } from "../options/query-format.js";

export interface AnswerFile {
  readonly file: string;
  readonly format: QueryFormat;
  readonly overwrite: boolean;
  readonly safeText: boolean;
}

/** Writes the answer to stdout. Arrow output uses the stream format. */
export async function streamAnswer(
  answer: DataTable,
  { format, safeText }: { readonly format: Exclude<QueryFormat, "table">; readonly safeText: boolean },
  { signal }: CliContext,
): Promise<void> {
  await writeTable("-", answer, { format: format === "arrow" ? "arrows" : format, safeText, signal });
}

/**
 * Writes the answer to a file, completely or not at all.
 * @returns the number of rows.
 */
export async function writeAnswer(
  answer: DataTable,
  { file, format, overwrite, safeText }: AnswerFile,
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
