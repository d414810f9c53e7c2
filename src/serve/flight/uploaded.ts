/** Uploads: turns messages of Flight from a client into batches. */

import type { RecordBatch } from "apache-arrow";
import { FlightDecoder } from "../../flight/messages/decode.js";
import type { FlightDescriptor } from "../../flight/protocol/descriptor.js";
import type { FlightData } from "../../flight/protocol/flight-data.js";
import { CallError } from "../../flight/protocol/status.js";
import { joined, streamWriter } from "../../ipc/write/apache-writer.js";
import { isAnnarrowError, isCancellation } from "../../model/errors.js";
import type { BatchStream } from "../../tables/given/arrow-column-table.js";
import { Refusal } from "../requests/failure.js";

/** The descriptor of the first message; `rest` reads the batches. */
export async function uploadedBatches(data: AsyncIterable<FlightData>): Promise<{
  readonly descriptor: FlightDescriptor | null;
  rest(): Promise<BatchStream>;
}> {
  const messages = data[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done) throw new Refusal("invalid", "nothing was sent: a descriptor and a schema are expected");
  return {
    descriptor: first.value.descriptor,
    rest: () => batchesOf(first.value, messages),
  };
}

/** Sends batches as the bytes of an Arrow stream, piece by piece. */
export async function exchangeBatches(
  { schema, batches }: BatchStream,
  send: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  const writer = streamWriter(schema);
  for await (const batch of batches) await send(joined(writer.batch(batch)));
  await send(joined(writer.end()));
}

async function batchesOf(first: FlightData, rest: AsyncIterator<FlightData>): Promise<BatchStream> {
  try {
    const decoder = new FlightDecoder();
    await decoder.take(first);
    while (decoder.schema === undefined) {
      const next = await rest.next();
      if (next.done) throw new Refusal("invalid", "no schema was sent");
      await decoder.take(next.value);
    }
    return { schema: decoder.schema, batches: decoded(decoder, rest) };
  } catch (error) {
    throw broken(error);
  }
}

async function* decoded(decoder: FlightDecoder, rest: AsyncIterator<FlightData>): AsyncGenerator<RecordBatch> {
  let isEmpty = true;
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      const message = await decoder.take(next.value);
      if (message === null || message.batch === null) continue;
      isEmpty = false;
      yield await message.batch();
    }
    if (isEmpty) yield decoder.empty();
  } catch (error) {
    throw broken(error);
  }
}

/** An error of the decoder as the client's error. */
function broken(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof CallError || isCancellation(error)) return error;
  if (isAnnarrowError(error) && error.tag !== "InvalidDataError") return error;
  const problem = error instanceof Error ? error.message : String(error);
  return new Refusal("invalid", `what was sent is no Arrow stream: ${problem.slice(0, 200)}`, { cause: error });
}
