/** The answer of a statement as text for people, or in a format of one table, on stdout or in a file. */

import type { DataTable } from "../model/dataset.js";
import type { EncodedFormat } from "../sinks/directory/encode.js";
import type { Target } from "../targets/target.js";
import { type CliContext, warn } from "./context.js";
import { UsageError } from "./failure.js";

export const QUERY_FORMATS = ["table", "markdown", "csv", "tsv", "json", "ndjson", "arrow", "parquet"] as const;
export type QueryFormat = (typeof QUERY_FORMATS)[number];

/** Other ends of names of files. */
const EXTENSIONS: ReadonlyMap<string, QueryFormat> = new Map([
  ["md", "markdown"],
  ["jsonl", "ndjson"],
]);

export function isQueryFormat(name: string): name is QueryFormat {
  return QUERY_FORMATS.some((format) => format === name);
}

/**
 * The format that the name of a file tells.
 * @throws {UsageError} for names that tell none.
 */
export function formatOfFile(file: string): QueryFormat {
  const extension = /\.([^./\\]+)$/.exec(file)?.[1].toLowerCase() ?? "";
  const format = EXTENSIONS.get(extension) ?? (isQueryFormat(extension) ? extension : undefined);
  if (format !== undefined && format !== "table") return format;
  throw new UsageError(`${file} does not say which format to write: add --format ${QUERY_FORMATS.slice(2).join("|")}`);
}

/** Writes the answer to stdout. */
export async function showAnswer(answer: DataTable, format: QueryFormat, context: CliContext): Promise<void> {
  if (format === "table") {
    const { printResult } = await import("./print-result.js");
    return printResult(answer, context);
  }
  const { streamTarget } = await import("../targets/file.node.js");
  const as = format === "arrow" ? "arrows" : format;
  return writeTo(streamTarget(process.stdout), answer, as, context);
}

export interface FileOutput {
  readonly file: string;
  readonly format: QueryFormat;
  readonly overwrite: boolean;
}

/** Writes the answer to a file, which appears whole or not at all. */
export async function writeAnswer(
  answer: DataTable,
  { file, format, overwrite }: FileOutput,
  context: CliContext,
): Promise<void> {
  if (format === "table") throw new UsageError("a table is printed, not written: choose another format for a file");
  const [{ fileTarget }, { oneFile }, { refuseInputs }, { openedPaths }] = await Promise.all([
    import("../targets/file.node.js"),
    import("../targets/target.js"),
    import("../api/overlap.node.js"),
    import("../sources/file.node.js"),
  ]);
  await refuseInputs([...openedPaths()], [file]);
  context.listen();
  return writeTo(oneFile(await fileTarget(file, { overwrite })), answer, format, context);
}

async function writeTo(
  target: Target,
  answer: DataTable,
  format: EncodedFormat,
  { signal }: CliContext,
): Promise<void> {
  const { encodeTable } = await import("../sinks/directory/encode.js");
  try {
    await target.write("result", encodeTable(answer, format, { signal, nested: "json" }));
    await target.commit();
    await warn(target.warnings ?? []);
  } catch (error) {
    await target.abort();
    throw error;
  }
}
