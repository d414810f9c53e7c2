/** `FlightData` in the memory of its message: what stands around header and body is written into the room beside them. */

import type { TableMessage } from "../sinks/flight/message-data.js";
import { NO_BYTES } from "./descriptor.js";
import type { FlightData } from "./flight-data.js";

/** Marker and length of the message, which Flight has not: here are the prefix of gRPC, a tag, and the header's length. */
const BEFORE = 8;
const GRPC_PREFIX = 5;

/** Tags of `data_header` and `data_body`. */
const HEADER = [0x12];
const BODY = [0xc2, 0x3e];

/**
 * A message with nothing left to be put together. After that it is no message of a file any more.
 * @param sent told once nobody looks at its memory.
 * @returns null where it has not enough room for that: then it is as it was.
 */
export function framedData(message: TableMessage, sent: () => void): FlightData | null {
  const { bytes, metadataLength, bodyLength, spare = 0 } = message;
  const between = [...BODY, ...varint(bodyLength)];
  const headerEnd = metadataLength - between.length;
  const before = [...HEADER, ...varint(headerEnd - BEFORE)];
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

/** A length as protocol buffers have it. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return bytes;
}
