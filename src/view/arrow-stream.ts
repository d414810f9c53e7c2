/** Record batches as the messages of an Arrow IPC stream. */

import type { RecordBatch, Schema } from "apache-arrow";
import { streamWriter } from "../ipc/write/apache-writer.js";

/** Yields the messages of a batch when the batch is there: a stream is shown while it is made. */
export async function* arrowStream(schema: Schema, batches: AsyncIterable<RecordBatch>): AsyncGenerator<Uint8Array> {
  const writer = streamWriter(schema);
  for await (const batch of batches) yield* writer.batch(batch);
  yield* writer.end();
}
