/** Messages of Arrow's IPC format as messages of Flight, without a copy: header and body are views. */

import type { EncodedMessage } from "../../ipc/write/message.js";
import { NO_BYTES } from "../protocol/descriptor.js";
import { BODY, type FlightData, HEADER } from "../protocol/flight-data.js";
import { fieldHead } from "../protocol/proto-writer.js";

/** Default limit of the bytes of one message: half of gRPC's default limit. */
export const MESSAGE_BYTES = 2 ** 21;

/** Bytes of the marker and length before a message in files and streams, which Flight lacks. */
const PREFIX = 8;

/** One message to be sent: the schema, a dictionary, or rows. */
export interface TableMessage extends EncodedMessage {
  /** Number of rows; null for a schema and a dictionary. */
  readonly rows: number | null;
  /** Number of unused bytes at the end of the metadata; 0 by default. */
  readonly spare?: number;
  /** The sender calls it when it has sent the bytes; their memory is then used again. */
  readonly done?: () => void;
}

const NOTHING = new Uint8Array(0);

/** Bytes of values in a batch, so that its message with metadata, bitmaps and padding usually has at most `maxBytes`. */
export function batchBytesFor(maxBytes: number): number {
  return Math.max(1, Math.floor((15 / 16) * maxBytes));
}

/** The Flight message of a schema, a dictionary or a record batch. */
export function messageData({ bytes, metadataLength }: EncodedMessage, appMetadata: Uint8Array = NOTHING): FlightData {
  return {
    descriptor: null,
    header: bytes.subarray(PREFIX, metadataLength),
    appMetadata,
    body: [bytes.subarray(metadataLength)],
  };
}

/** An encapsulated schema message as a `TableMessage`. */
export function schemaOf(bytes: Uint8Array<ArrayBuffer>): TableMessage {
  return { bytes, metadataLength: bytes.length, bodyLength: 0, rows: null };
}

/** The Flight message of an encapsulated schema message, the form in `FlightInfo`. */
export function schemaData(schema: Uint8Array, appMetadata: Uint8Array = NOTHING): FlightData {
  return { descriptor: null, header: schema.subarray(PREFIX), appMetadata, body: [] };
}

/** The marker and length before the message give room for gRPC's prefix, a tag, and the length of the header. */
const BEFORE = 8;
const GRPC_PREFIX = 5;

/**
 * Turns a message into a complete frame of gRPC in its own memory: the fields around header and body are written into the
 * unused bytes beside them. The message is no message of a file any more.
 * @param sent called when the connection has sent the frame.
 * @returns null if the message has not enough unused bytes; the message is then unchanged.
 */
export function framedData(message: TableMessage, sent: () => void): FlightData | null {
  const { bytes, metadataLength, bodyLength, spare = 0 } = message;
  const between = fieldHead(BODY, bodyLength);
  const headerEnd = metadataLength - between.length;
  const before = fieldHead(HEADER, headerEnd - BEFORE);
  const at = BEFORE - before.length;
  if (between.length > spare || at < GRPC_PREFIX) return null;
  const frame = bytes.subarray(at - GRPC_PREFIX);
  // Flag of gRPC: not compressed.
  frame[0] = 0;
  new DataView(frame.buffer, frame.byteOffset).setUint32(1, bytes.length - at);
  bytes.set(before, at);
  bytes.set(between, headerEnd);
  return {
    descriptor: null,
    header: bytes.subarray(BEFORE, headerEnd),
    appMetadata: NO_BYTES,
    body: [bytes.subarray(metadataLength)],
    frame: { bytes: frame, sent },
  };
}
