/** One table as the bytes of one file, by the name of the format. */

import type { DataTable } from "../dataset.js";
import { InvalidInputError } from "../errors.js";
import type { ParquetOptions } from "./parquet.js";

export type EncodedFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv" | "json";

/** `table` in `format`; the encoder is loaded when the first bytes are asked for. */
export async function* encodeTable(
  table: DataTable,
  format: EncodedFormat,
  options: ParquetOptions = {},
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case "parquet":
      return yield* (await import("./parquet.js")).parquetFile(table, options);
    case "arrow":
      return yield* (await import("./ipc.js")).ipcFile(table, options);
    case "arrows":
      return yield* (await import("./ipc.js")).ipcStream(table, options);
    case "csv":
      return yield* (await import("./csv.js")).csv(table, options);
    case "tsv":
      return yield* (await import("./csv.js")).csv(table, { ...options, delimiter: "\t" });
    case "json":
      return yield* (await import("./json.js")).json(table, options);
    default:
      format satisfies never;
      throw new InvalidInputError(`no format "${format}"`);
  }
}
