/**
 * Writes a stored table in Arrow's IPC formats. The worker that decodes rows also encodes them as messages, without
 * Arrow objects.
 */

import { hasDictionary, hasNestedCodes, listDictionaries } from "../../ipc/write/dictionaries.js";
import { IpcFile, type IpcFraming, IpcStream } from "../../ipc/write/framing.js";
import { type EncodedBatch, encodeBatchMessage, encodeDictionaryMessage } from "../../ipc/write/message.js";
import { UnsupportedError } from "../../model/errors.js";
import { DEFAULT_BATCH_BYTES, type StoredTable } from "../../tables/stored-table.js";
import type { SinkOptions } from "../stream.js";

/**
 * Writes `table` in the IPC file format (`.arrow`).
 * @throws {UnsupportedError} where the values of a dictionary are coded by another dictionary.
 */
export function encodeStoredIpcFile(table: StoredTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  return written(new IpcFile({ fields: table.fields, metadata: table.schemaMetadata }), table, options);
}

/**
 * Writes `table` in the IPC streaming format (`.arrows`).
 * @throws {UnsupportedError} where the values of a dictionary are coded by another dictionary.
 */
export function encodeStoredIpcStream(table: StoredTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  return written(new IpcStream({ fields: table.fields, metadata: table.schemaMetadata }), table, options);
}

async function* written(form: IpcFraming, table: StoredTable, options: SinkOptions): AsyncGenerator<Uint8Array> {
  const { signal, onProgress } = options;
  const nested = table.fields.find(hasNestedCodes);
  if (nested !== undefined) {
    const why = `the categories of ${nested.name} are themselves coded by categories, for which Arrow's format has no form`;
    throw new UnsupportedError(why, { element: table.name });
  }
  const report = (done: number) => onProgress?.({ element: table.name, done, total: table.rows, unit: "rows" });
  let started = false;
  let done = 0;
  report(0);
  for await (const message of messages(table, options)) {
    if (!started) yield* start();
    started = true;
    yield form.batch(message);
    done += message.rows;
    report(done);
  }
  if (!started) {
    yield* start();
    // Some readers take the columns of an empty table from a batch, so an empty batch is written.
    yield form.batch(encodeBatchMessage(await table.noRows({ signal }), 0));
  }
  yield* form.end();

  async function* start(): AsyncGenerator<Uint8Array> {
    yield* form.start();
    if (!table.fields.some(hasDictionary)) return;
    for (const [id, values] of listDictionaries(await table.noRows({ signal })).entries()) {
      yield form.dictionary(encodeDictionaryMessage(id, values));
    }
  }
}

async function* messages(table: StoredTable, options: SinkOptions): AsyncGenerator<EncodedBatch> {
  const { signal, batchBytes = DEFAULT_BATCH_BYTES } = options;
  for await (const part of table.parts({ kind: "ipc", batchBytes }, { signal })) {
    if (part.kind !== "ipc") throw new TypeError("messages were asked for");
    for (const message of part.messages) if (message.rows > 0) yield message;
  }
}
