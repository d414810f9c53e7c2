/** Encodes one table as the bytes of one file in a given format. */

import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { Codec } from "../../parquet/write/compression.js";
import { toDataTable } from "../../tables/given/table-forms.js";
import { StoredTable } from "../../tables/stored-table.js";
import type { ParquetOptions } from "../parquet/parquet.js";
import type { CsvOptions } from "../text/csv.js";

/** `encodeJson` is an array, `ndjson` an object per line, `encodeMarkdown` a Markdown table. */
export type EncodedFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv" | "json" | "ndjson" | "markdown";

export type FormatOptions = ParquetOptions & Pick<CsvOptions, "nested" | "safeText">;

/** Encodes `table` in `format`. The encoder is loaded when the first bytes are requested. */
export async function* encodeTable(
  table: DataTable | StoredTable,
  format: EncodedFormat,
  options: FormatOptions = {},
): AsyncGenerator<Uint8Array> {
  if (!(table instanceof StoredTable)) return yield* encodeArrow(table, format, options);
  if (format === "arrow" || format === "arrows") {
    const { encodeStoredIpcFile, encodeStoredIpcStream } = await import("../ipc/stored-ipc.js");
    return yield* format === "arrow" ? encodeStoredIpcFile(table, options) : encodeStoredIpcStream(table, options);
  }
  const compression = format === "parquet" ? await pickStoredCodec(table, options) : null;
  if (compression === null) return yield* encodeArrow(await toDataTable(table), format, options);
  const { encodeStoredParquet } = await import("../parquet/plain-parquet.js");
  yield* encodeStoredParquet(table, { ...options, compression });
}

/** Returns the codec if the library's own encoder supports the table; null if another encoder must write it. */
export async function pickStoredCodec(
  table: StoredTable,
  { compression = "zstd" }: ParquetOptions,
): Promise<Codec | null> {
  const [{ canEncodeFields }, { isCodec }] = await Promise.all([
    import("../../parquet/write/parquet-column.js"),
    import("../../parquet/write/compression.js"),
  ]);
  return isCodec(compression) && canEncodeFields(table.fields) ? compression : null;
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
