/**
 * Writes Arrow IPC in the file format and the streaming format. Dictionaries are written once, before the first batch.
 */

import { createIpcFileWriter, type IpcWriter, streamWriter } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import { checkOptions } from "../../model/option-names.js";
import type { ColumnTableInput } from "../../tables/given/arrow-column-table.js";
import { encodeInputTable, SINK_OPTIONS, type SinkOptions, streamBatches } from "../stream.js";

/**
 * Writes `table` in the IPC file format (`.arrow`), whose footer makes batches addressable.
 * @param table a dataset's table, an apache-arrow `Table`, a schema with a stream of batches, or any other table that
 * `write` takes.
 */
export function ipcFile(table: ColumnTableInput, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  checkOptions(options, "ipcFile", SINK_OPTIONS);
  return encodeInputTable(table, (given) => encodeIpcFile(given, options));
}

/** `ipcFile` with internal options, which are not checked. */
export function encodeIpcFile(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  return written(createIpcFileWriter(table.schema), table, options);
}

/**
 * Writes `table` in the IPC streaming format (`.arrows`).
 * @param table a dataset's table, an apache-arrow `Table`, a schema with a stream of batches, or any other table that
 * `write` takes.
 */
export function ipcStream(table: ColumnTableInput, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  checkOptions(options, "ipcStream", SINK_OPTIONS);
  return encodeInputTable(table, (given) => encodeIpcStream(given, options));
}

/** `ipcStream` with internal options, which are not checked. */
export function encodeIpcStream(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  return written(streamWriter(table.schema), table, options);
}

async function* written(writer: IpcWriter, table: DataTable, options: SinkOptions): AsyncGenerator<Uint8Array> {
  for await (const batch of streamBatches(table, options)) yield* writer.batch(batch);
  yield* writer.end();
}
