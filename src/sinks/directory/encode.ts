/** Encodes one table as the bytes of one file in a given format. */

import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { findStoredEncoding, type StoredEncoding } from "../../tables/encoded-table.js";
import { toDataTable } from "../../tables/given/table-forms.js";
import { StoredTable } from "../../tables/stored-table.js";
import type { ParquetOptions } from "../parquet/parquet.js";
import type { CsvOptions } from "../text/csv.js";

/** `json` is an array, `ndjson` has one object per line, and `markdown` is a Markdown table. */
export type EncodedFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv" | "json" | "ndjson" | "markdown";

export type FormatOptions = ParquetOptions & Pick<CsvOptions, "nested" | "safeText">;

/** How a table becomes a file of one format. */
export interface TableEncoding {
  /** The encoding without Arrow objects; null if the table is converted to Arrow objects first. */
  readonly stored: StoredEncoding | null;
  encode(options: FormatOptions): AsyncGenerator<Uint8Array>;
}

/**
 * Chooses the encoding. A stored table is encoded without Arrow objects if the format's encoder supports it. Any other
 * encoder is loaded when the first bytes are requested.
 */
export async function chooseEncoding(
  table: DataTable | StoredTable,
  format: EncodedFormat,
  { compression = "zstd" }: ParquetOptions = {},
): Promise<TableEncoding> {
  const stored = table instanceof StoredTable ? await findStoredEncoding(table, format, { compression }) : null;
  if (stored !== null) return { stored, encode: stored.encode };
  return {
    stored,
    async *encode(options) {
      yield* encodeArrow(await toDataTable(table), format, options);
    },
  };
}

/** Encodes `table` in `format`. */
export async function* encodeTable(
  table: DataTable | StoredTable,
  format: EncodedFormat,
  options: FormatOptions = {},
): AsyncGenerator<Uint8Array> {
  yield* (await chooseEncoding(table, format, options)).encode(options);
}

async function* encodeArrow(
  table: DataTable,
  format: EncodedFormat,
  options: FormatOptions,
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case "parquet":
      return yield* (await import("../parquet/parquet.js")).encodeParquet(table, options);
    case "arrow":
      return yield* (await import("../ipc/ipc.js")).encodeIpcFile(table, options);
    case "arrows":
      return yield* (await import("../ipc/ipc.js")).encodeIpcStream(table, options);
    case "csv":
      return yield* (await import("../text/csv.js")).encodeCsv(table, options);
    case "tsv":
      return yield* (await import("../text/csv.js")).encodeCsv(table, { ...options, delimiter: "\t" });
    case "json":
      return yield* (await import("../text/json.js")).encodeJson(table, { ...options, array: true });
    case "ndjson":
      return yield* (await import("../text/json.js")).encodeJson(table, options);
    case "markdown":
      return yield* (await import("../text/markdown.js")).encodeMarkdown(table, options);
    default:
      format satisfies never;
      throw new InvalidInputError(`no format "${format}"`);
  }
}
