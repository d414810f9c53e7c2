/** Converts Arrow IPC messages to Flight messages without a copy: header and body are views. */

import type { EncodedMessage } from "annarrow/core/ipc";
import { NO_BYTES } from "../protocol/descriptor.js";
import { BODY, type FlightData, HEADER } from "../protocol/flight-data.js";
import { encodeFieldHead } from "../protocol/proto-writer.js";

/** Default maximum size of a message in bytes, half of gRPC's default limit. */
export const MESSAGE_BYTES = 2 ** 21;

/** Bytes of the marker and length that precede a message in files and streams but not in Flight. */
const PREFIX = 8;

/** A message to send: the schema, a dictionary, or rows. */
export interface TableMessage extends EncodedMessage {
  /** Number of rows; null for schemas and dictionaries. */
  readonly rows: number | null;
  /** Number of unused bytes at the end of the metadata; 0 by default. */
  readonly spare?: number;
  /** Called by the sender when it has sent the bytes. The memory is then reused. */
  readonly done?: () => void;
}

const NOTHING = new Uint8Array(0);

/** Returns a size in bytes for a batch's values, so that the whole message usually has at most `maxBytes`. */
export function computeBatchBytes(maxBytes: number): number {
  return Math.max(1, Math.floor((15 / 16) * maxBytes));
}

/** Returns the Flight message of a schema, a dictionary or a record batch. */
export function toMessageFlightData(
  { bytes, metadataLength }: EncodedMessage,
  appMetadata: Uint8Array = NOTHING,
): FlightData {
  return {
    descriptor: null,
    header: bytes.subarray(PREFIX, metadataLength),
    appMetadata,
    body: [bytes.subarray(metadataLength)],
  };
}

/** Wraps an encapsulated schema message as a `TableMessage`. */
export function parseSchemaMessage(bytes: Uint8Array<ArrayBuffer>): TableMessage {
  return { bytes, metadataLength: bytes.length, bodyLength: 0, rows: null };
}

/** Returns the Flight message for an encapsulated schema message, the form that `FlightInfo` contains. */
export function toSchemaFlightData(schema: Uint8Array, appMetadata: Uint8Array = NOTHING): FlightData {
  return { descriptor: null, header: schema.subarray(PREFIX), appMetadata, body: [] };
}

/** Bytes of marker and length before the message, reused for gRPC's prefix, a tag, and the header length. */
const BEFORE = 8;
const GRPC_PREFIX = 5;

/**
 * Turns a message into a complete gRPC frame in place: the fields around header and body are written into the
 * unused bytes beside them. Afterwards the bytes are no longer a valid message of an IPC file.
 * @param sent called when the connection has sent the frame.
 * @returns null if the message has too few unused bytes; the message is then unchanged.
 */
export function toFramedFlightData(message: TableMessage, sent: () => void): FlightData | null {
  const { bytes, metadataLength, bodyLength, spare = 0 } = message;
  const between = encodeFieldHead(BODY, bodyLength);
  const headerEnd = metadataLength - between.length;
  const before = encodeFieldHead(HEADER, headerEnd - BEFORE);
  const at = BEFORE - before.length;
  if (between.length > spare || at < GRPC_PREFIX) return null;
  const frame = bytes.subarray(at - GRPC_PREFIX);
  // gRPC's compression flag: not compressed.
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
