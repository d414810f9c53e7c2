/** The handshake: the client sends credentials, and the service returns a token. */

import { NO_BYTES } from "./descriptor.js";
import { parseProtoFields } from "./proto-reader.js";
import { ProtoWriter } from "./proto-writer.js";

export interface Handshake {
  readonly protocolVersion: bigint;
  readonly payload: Uint8Array;
}

/** A possible payload of a handshake. */
export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

export function writeHandshake({ protocolVersion, payload }: Handshake): ProtoWriter {
  return new ProtoWriter().int64(1, protocolVersion).bytes(2, payload);
}

export function readHandshake(bytes: Uint8Array): Handshake {
  let protocolVersion = 0n;
  let payload = NO_BYTES;
  for (const field of parseProtoFields(bytes, "Handshake")) {
    if (field.number === 1) protocolVersion = field.uint64();
    else if (field.number === 2) payload = field.bytes();
  }
  return { protocolVersion, payload };
}

export function readBasicAuth(bytes: Uint8Array): BasicAuth {
  let username = "";
  let password = "";
  for (const field of parseProtoFields(bytes, "BasicAuth")) {
    if (field.number === 2) username = field.string();
    else if (field.number === 3) password = field.string();
  }
  return { username, password };
}
