/**
 * Reads the bytes of an Arrow IPC stream as they arrive. The messages are decoded like those of Flight. apache-arrow's
 * reader is not used, because it looks up every column of every batch by name, in time quadratic in the columns.
 */

import type { BatchStream } from "annarrow";
import { InvalidDataError } from "annarrow";
import { CONTINUATION, FlatBuffer, joinByteChunks } from "annarrow/core/ipc";
import { viewAsBytes } from "annarrow/core/model";
import type { RecordBatch } from "apache-arrow";
import { NO_BYTES } from "../protocol/descriptor.js";
import type { FlightData } from "../protocol/flight-data.js";
import { type DecodeOptions, FlightDecoder } from "./decode.js";

/**
 * Reads a stream up to its schema. The batches are read on demand, and only once. If the stream has no batches, one
 * batch without rows is returned.
 * @param pieces consecutive pieces of any length.
 * @throws {InvalidDataError} for bytes that violate the format or end within a message, also while batches are read.
 */
export async function readIpcStream(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: DecodeOptions = {},
): Promise<BatchStream> {
  const messages = messagesOf(new ArrivingBytes(pieces));
  const decoder = new FlightDecoder(options);
  const first = await messages.next();
  if (first.done !== true) await decoder.take(first.value);
  const { schema } = decoder;
  if (schema === undefined) throw new InvalidDataError("the stream has no schema");
  return { schema, batches: batchesOf(decoder, messages) };
}

async function* batchesOf(decoder: FlightDecoder, messages: AsyncGenerator<FlightData>): AsyncGenerator<RecordBatch> {
  let isEmpty = true;
  for await (const message of messages) {
    const decoded = await decoder.take(message);
    if (decoded === null || decoded.batch === null) continue;
    isEmpty = false;
    yield await decoded.batch();
  }
  if (isEmpty) yield decoder.empty();
}

/** Yields the messages of a stream up to the end-of-stream marker, or up to the end of the bytes. */
async function* messagesOf(bytes: ArrivingBytes): AsyncGenerator<FlightData> {
  try {
    for (;;) {
      const first = await bytes.uint32();
      // Streams before version 0.15 of the format have no marker in front of the length.
      const length = first === CONTINUATION ? await bytes.uint32() : first;
      if (length === null && first === CONTINUATION) throw bytes.cutOff(4);
      if (length === null || length === 0) return;
      const header = viewAsBytes(joinByteChunks(await bytes.take(length)));
      const body = await bytes.take(new FlatBuffer(header).root().length(3));
      yield { descriptor: null, header, appMetadata: NO_BYTES, body };
    }
  } finally {
    await bytes.close();
  }
}

/** Bytes that arrive in pieces, and are taken in pieces of other lengths. */
class ArrivingBytes {
  readonly #pieces: AsyncGenerator<Uint8Array>;
  #rest: Uint8Array = NO_BYTES;

  constructor(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
    this.#pieces = arriving(pieces);
  }

  /** Reads the next four bytes as a number; null at the end. */
  async uint32(): Promise<number | null> {
    if (!(await this.#fill())) return null;
    const bytes = joinByteChunks(await this.take(4));
    return new DataView(bytes.buffer).getUint32(0, true);
  }

  /**
   * Takes the next `length` bytes, in the pieces in which they arrived.
   * @throws {InvalidDataError} if the bytes end before that.
   */
  async take(length: number): Promise<Uint8Array[]> {
    const taken: Uint8Array[] = [];
    for (let left = length; left > 0; ) {
      if (!(await this.#fill())) throw this.cutOff(left);
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      taken.push(piece);
      left -= piece.length;
    }
    return taken;
  }

  cutOff(missing: number): InvalidDataError {
    return new InvalidDataError(`the stream is cut off: a message lacks ${missing} bytes at its end`);
  }

  /** Closes the source of the bytes, which may be an open file. */
  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  /** Waits for bytes; returns false at the end. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      this.#rest = next.value;
    }
    return true;
  }
}

async function* arriving(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
