/** Writes Arrow IPC, the file and the stream format. Dictionaries are written once, before the first batch. */

import { fileWriter, type IpcWriter, streamWriter } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import { checkOptions } from "../../model/option-names.js";
import { batchesOf, SINK_OPTIONS, type SinkOptions } from "../stream.js";

/** Writes `table` in the IPC file format (`.arrow`), whose footer makes batches addressable. */
export function ipcFile(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  checkOptions(options, "ipcFile", SINK_OPTIONS);
  return ipcFileChunks(table, options);
}

/** `ipcFile` with options of the library's own, which are not checked. */
export function ipcFileChunks(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  return written(fileWriter(table.schema), table, options);
}

/** Writes `table` in the IPC streaming format (`.arrows`). */
export function ipcStream(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  checkOptions(options, "ipcStream", SINK_OPTIONS);
  return ipcStreamChunks(table, options);
}

/** `ipcStream` with options of the library's own, which are not checked. */
export function ipcStreamChunks(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  return written(streamWriter(table.schema), table, options);
}

async function* written(writer: IpcWriter, table: DataTable, options: SinkOptions): AsyncGenerator<Uint8Array> {
  for await (const batch of batchesOf(table, options)) yield* writer.batch(batch);
  yield* writer.end();
}
