/** Formats of the answers of `annarrow query`. */

import { UsageError } from "../context/failure.js";

export const QUERY_FORMATS = ["table", "markdown", "csv", "tsv", "json", "ndjson", "arrow", "parquet"] as const;
export type QueryFormat = (typeof QUERY_FORMATS)[number];

/** Further file extensions. */
const EXTENSIONS: ReadonlyMap<string, QueryFormat> = new Map([
  ["md", "markdown"],
  ["jsonl", "ndjson"],
]);

export function isQueryFormat(name: string): name is QueryFormat {
  return QUERY_FORMATS.some((format) => format === name);
}

/**
 * Returns the format that a file name implies.
 * @throws {UsageError} for names that imply no format.
 */
export function getQueryFormat(file: string): QueryFormat {
  const extension = /\.([^./\\]+)$/.exec(file)?.[1].toLowerCase() ?? "";
  const format = EXTENSIONS.get(extension) ?? (isQueryFormat(extension) ? extension : undefined);
  if (format !== undefined && format !== "table") return format;
  throw new UsageError(`${file} does not say which format to write: add --format ${QUERY_FORMATS.slice(2).join("|")}`);
}

/** @throws {UsageError} for `--safe-text` with a format that is not CSV or TSV. */
export function refuseSafeText(safeText: boolean, format: QueryFormat): void {
  if (safeText && format !== "csv" && format !== "tsv")
    throw new UsageError(`only csv and tsv have --safe-text, and the answer is ${format}`);
}
