/** Rows as bytes: the stream that a page reads, and the files of one table that it saves. */

import type { DataTable } from "../model/dataset.js";
import { ipcFile, ipcStream } from "../sinks/ipc/ipc.js";
import type { SinkOptions } from "../sinks/stream.js";
import type { RowsFormat } from "./view-request.js";

/** `stream` is the messages of an Arrow IPC stream, the others are files. */
export type AnswerFormat = "stream" | RowsFormat;

/** The bytes of rows; writers of files are loaded when one is asked for. */
export async function* encodedRows(
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
      return yield* (await import("../sinks/parquet/parquet.js")).parquetFile(table, options);
    case "csv":
      return yield* (await import("../sinks/text/csv.js")).csv(table, { ...options, nested: "json" });
    default:
      format satisfies never;
  }
}
