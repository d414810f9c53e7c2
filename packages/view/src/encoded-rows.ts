/** Encodes rows as the stream that the page reads, or as a file with a single table that the page saves. */

import type { DataTable, SinkOptions } from "annarrow";
import { ipcFile, ipcStream } from "annarrow";
import type { RowsFormat } from "./view-request.js";

/** `stream` is an Arrow IPC stream; the other formats are files. */
export type AnswerFormat = "stream" | RowsFormat;

/** Encodes rows. File writers are loaded on demand. */
export async function* encodeAnswerRows(
  table: DataTable,
  format: AnswerFormat,
  options: SinkOptions,
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case "stream":
      return yield* ipcStream(table, options);
    case "arrow":
      return yield* ipcFile(table, options);
    case "parquet":
      return yield* (await import("annarrow")).parquetFile(table, options);
    case "csv":
      return yield* (await import("annarrow")).csv(table, { ...options, nested: "json" });
    default:
      format satisfies never;
  }
}
