/** Encodes one table as the bytes of one file in a given format. */

import type { DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { Codec } from "../../parquet/write/compression.js";
import { dataTableOf } from "../../tables/given/table-forms.js";
import { StoredTable } from "../../tables/stored-table.js";
import type { ParquetOptions } from "../parquet/parquet.js";
import type { CsvOptions } from "../text/csv.js";

/** `json` is an array, `ndjson` an object per line, `markdown` a Markdown table. */
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
    const { storedIpcFile, storedIpcStream } = await import("../ipc/stored-ipc.js");
    return yield* format === "arrow" ? storedIpcFile(table, options) : storedIpcStream(table, options);
  }
  const compression = format === "parquet" ? await storedCodec(table, options) : null;
  if (compression === null) return yield* encodeArrow(await dataTableOf(table), format, options);
  const { storedParquet } = await import("../parquet/plain-parquet.js");
  yield* storedParquet(table, { ...options, compression });
}

/** Returns the codec if the library's own encoder supports the table; null if another encoder must write it. */
export async function storedCodec(table: StoredTable, { compression = "zstd" }: ParquetOptions): Promise<Codec | null> {
  const [{ encodes }, { isCodec }] = await Promise.all([
    import("../../parquet/write/parquet-column.js"),
    import("../../parquet/write/compression.js"),
  ]);
  return isCodec(compression) && encodes(table.fields) ? compression : null;
}

async function* encodeArrow(
  table: DataTable,
  format: EncodedFormat,
  options: FormatOptions,
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case "parquet":
      return yield* (await import("../parquet/parquet.js")).parquetChunks(table, options);
    case "arrow":
      return yield* (await import("../ipc/ipc.js")).ipcFileChunks(table, options);
    case "arrows":
      return yield* (await import("../ipc/ipc.js")).ipcStreamChunks(table, options);
    case "csv":
      return yield* (await import("../text/csv.js")).csvChunks(table, options);
    case "tsv":
      return yield* (await import("../text/csv.js")).csvChunks(table, { ...options, delimiter: "\t" });
    case "json":
      return yield* (await import("../text/json.js")).json(table, { ...options, array: true });
    case "ndjson":
      return yield* (await import("../text/json.js")).json(table, options);
    case "markdown":
      return yield* (await import("../text/markdown.js")).markdown(table, options);
    default:
      format satisfies never;
      throw new InvalidInputError(`no format "${format}"`);
  }
}
