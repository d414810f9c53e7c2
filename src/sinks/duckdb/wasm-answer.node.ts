/**
 * Reads result batches from DuckDB-WASM. The sizes of their values are checked in the engine's memory, so values that
 * are too large are never copied.
 */

import { type RecordBatch, RecordBatchReader } from "apache-arrow";
import { encodeApacheSchema, joinByteChunks, streamWriter } from "../../ipc/write/apache-writer.js";
import { recordBatch, sliceBatch } from "../../tables/record-batch.js";
import { type AnswerLimit, computeBatchRanges } from "./answer-limit.js";

type Blocking = typeof import("@duckdb/duckdb-wasm/blocking");
type Bindings = Awaited<ReturnType<Blocking["createDuckDB"]>>;

/** Status that the engine returns if the next batch is not ready yet. */
const RETRY = 256;

/**
 * Yields the messages of the running statement's next batch: one message, or several with fewer rows each. Returns
 * whether the statement may have more batches.
 * @param connection number of the connection.
 * @param header message of the schema.
 * @throws {InvalidInputError} if a value or a row has more bytes than `limit` allows.
 */
export function* readNextMessages(
  { callSRet, dropResponseBuffers, readString }: Blocking,
  { mod }: Bindings,
  connection: number,
  header: Uint8Array,
  limit: AnswerLimit,
): Generator<Uint8Array, "more" | "end"> {
  const [status, at, length] = callSRet(mod, "duckdb_web_query_fetch_results", ["number"], [connection]);
  try {
    if (status === RETRY) return "more";
    if (status !== 0) throw new Error(readString(mod, at, length));
    if (length === 0) return "end";
    // The engine's memory may be reallocated when it grows, so each access needs a new view.
    const view = () => mod.HEAPU8.subarray(at, at + length);
    const ranges = length <= limit.bytes ? [] : computeBatchRanges(decodedBatch(header, view()), limit);
    if (ranges.length <= 1) yield view().slice();
    else {
      for (const [start, end] of ranges) yield encodedBatch(sliceBatch(decodedBatch(header, view()), start, end));
    }
    return "more";
  } finally {
    dropResponseBuffers(mod);
  }
}

/** Decodes the batch in a message. Its columns are views of the message's bytes. */
function decodedBatch(header: Uint8Array, message: Uint8Array): RecordBatch {
  const reader = RecordBatchReader.from([header, message]).open();
  const { value } = reader.next();
  if (value === undefined) throw new TypeError("a message of DuckDB-WASM without a batch");
  // If names repeat, the batches have a different schema from the reader.
  return recordBatch(reader.schema, value.numRows, value.data.children);
}

/** Encodes a batch as a message, without the schema message. */
function encodedBatch(batch: RecordBatch): Uint8Array {
  return joinByteChunks(streamWriter(batch.schema).batch(batch)).subarray(encodeApacheSchema(batch.schema).length);
}
