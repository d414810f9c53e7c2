/**
 * Takes the batches of an answer from DuckDB-WASM. Their sizes are checked where the engine has them: what is too large is
 * never copied.
 */

import { type RecordBatch, RecordBatchReader } from "apache-arrow";
import { joined, messageOf, streamWriter } from "../../ipc/write/apache-writer.js";
import { recordBatch, sliceBatch } from "../../tables/record-batch.js";
import { type AnswerLimit, batchRanges } from "./answer-limit.js";

type Blocking = typeof import("@duckdb/duckdb-wasm/blocking");
type Bindings = Awaited<ReturnType<Blocking["createDuckDB"]>>;

/** What the engine answers where the next batch is not ready yet. */
const RETRY = 256;

/**
 * The next batch of the running statement, as one message or as several of fewer rows; null where there are no further ones.
 * @param connection number of the connection.
 * @param header message of the schema.
 * @throws {InvalidInputError} for a value or a row of more bytes than `limit` allows.
 */
export function* nextMessages(
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
    // The engine's memory moves where it grows: a view is made for each use.
    const view = () => mod.HEAPU8.subarray(at, at + length);
    const ranges = length <= limit.bytes ? [] : batchRanges(decodedBatch(header, view()), limit);
    if (ranges.length <= 1) yield view().slice();
    else {
      for (const [start, end] of ranges) yield encodedBatch(sliceBatch(decodedBatch(header, view()), start, end));
    }
    return "more";
  } finally {
    dropResponseBuffers(mod);
  }
}

/** The batch of a message, whose columns are views of its bytes. */
function decodedBatch(header: Uint8Array, message: Uint8Array): RecordBatch {
  const reader = RecordBatchReader.from([header, message]).open();
  const { value } = reader.next();
  if (value === undefined) throw new TypeError("a message of DuckDB-WASM without a batch");
  // Where names repeat, the reader gives batches another schema than its own.
  return recordBatch(reader.schema, value.numRows, value.data.children);
}

/** The message of a batch, without the one of its schema. */
function encodedBatch(batch: RecordBatch): Uint8Array {
  return joined(streamWriter(batch.schema).batch(batch)).subarray(messageOf(batch.schema).length);
}
