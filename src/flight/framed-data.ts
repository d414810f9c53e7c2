/** `FlightData` in the memory of its message: what stands around header and body is written into the room beside them. */

import type { TableMessage } from "./messages/message-data.js";
import { NO_BYTES } from "./protocol/descriptor.js";
import { BODY, type FlightData, HEADER } from "./protocol/flight-data.js";
import { fieldHead } from "./protocol/proto-writer.js";

/** Marker and length of the message, which Flight has not: here are the prefix of gRPC, a tag, and the header's length. */
const BEFORE = 8;
const GRPC_PREFIX = 5;

/**
 * A message with nothing left to be put together. After that it is no message of a file any more.
 * @param sent told once nobody looks at its memory.
 * @returns null where it has not enough room for that: then it is as it was.
 */
export function framedData(message: TableMessage, sent: () => void): FlightData | null {
  const { bytes, metadataLength, bodyLength, spare = 0 } = message;
  const between = fieldHead(BODY, bodyLength);
  const headerEnd = metadataLength - between.length;
  const before = fieldHead(HEADER, headerEnd - BEFORE);
  const at = BEFORE - before.length;
  if (between.length > spare || at < GRPC_PREFIX) return null;
  const frame = bytes.subarray(at - GRPC_PREFIX);
  // Not compressed.
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
