/** `FlightData`: one message of a stream of Arrow data. Its body has one part per buffer. */

import { type FlightDescriptor, NO_BYTES, readDescriptor, writeDescriptor } from "./descriptor.js";
import { parseProtoFields } from "./proto-reader.js";
import { ProtoWriter } from "./proto-writer.js";

/** A gRPC message in contiguous memory. */
export interface GrpcFrame {
  readonly bytes: Uint8Array;
  /** Called when the bytes have been sent. It is not called if the client disconnects first. */
  readonly sent: () => void;
}

export interface FlightData {
  readonly descriptor: FlightDescriptor | null;
  /** The flatbuffer `Message` of Arrow's IPC format, without a prefix; empty for a message with metadata only. */
  readonly header: Uint8Array;
  readonly appMetadata: Uint8Array;
  /** The body in consecutive views. Their memory must not change until the message is sent. */
  readonly body: readonly Uint8Array[];
  /** The whole message as a gRPC frame, if header and body are contiguous in memory. */
  readonly frame?: GrpcFrame;
}

/** Field numbers of `data_header` and `data_body`. */
export const HEADER = 2;
export const BODY = 1000;

export function writeFlightData({ descriptor, header, appMetadata, body }: FlightData): ProtoWriter {
  const out = new ProtoWriter();
  if (descriptor !== null) out.message(1, writeDescriptor(descriptor));
  out.bytes(HEADER, header).bytes(3, appMetadata);
  // Some readers treat a record batch without a body as metadata only.
  return body.length > 0 || header.length > 0 ? out.pieces(BODY, body) : out;
}

/** Reads a message. The body is a single view of `bytes`. */
export function readFlightData(bytes: Uint8Array): FlightData {
  let descriptor: FlightDescriptor | null = null;
  let header = NO_BYTES;
  let appMetadata = NO_BYTES;
  let body: Uint8Array[] = [];
  for (const field of parseProtoFields(bytes, "FlightData")) {
    if (field.number === 1) descriptor = readDescriptor(field.bytes());
    else if (field.number === HEADER) header = field.bytes();
    else if (field.number === 3) appMetadata = field.bytes();
    else if (field.number === BODY) body = [field.bytes()];
  }
  return { descriptor, header, appMetadata, body };
}
