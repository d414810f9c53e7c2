/** `google.protobuf.Any`, in which Flight SQL wraps its messages: a type URL and the message's bytes. */

import { NO_BYTES } from "../descriptor.js";
import { parseProtoFields } from "../proto-reader.js";
import { joinParts, ProtoWriter } from "../proto-writer.js";

/** Prefix of the message name in the type URL of each Flight SQL message. */
const PREFIX = "type.googleapis.com/arrow.flight.protocol.sql.";

/** The key of the field `type_url`, which is the first byte of each encoded `Any`. */
const FIRST = 0x0a;

export interface SqlMessage {
  /** Name of the message: `CommandStatementQuery`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the Flight SQL message in an `Any`; null for any other bytes, such as a command in JSON.
 * @throws {InvalidDataError} for bytes that begin like such an `Any` but are malformed.
 */
export function readSqlMessage(bytes: Uint8Array): SqlMessage | null {
  if (!beginsAsAny(bytes)) return null;
  let type = "";
  let value = NO_BYTES;
  for (const field of parseProtoFields(bytes, "Any")) {
    if (field.number === 1) type = field.string();
    else if (field.number === 2) value = field.bytes();
  }
  return type.startsWith(PREFIX) ? { name: type.slice(PREFIX.length), bytes: value } : null;
}

/** Wraps `message` in an `Any`. */
export function writeSqlMessage(name: string, message: ProtoWriter): Uint8Array<ArrayBuffer> {
  const value = joinParts(message.finish());
  return joinParts(
    new ProtoWriter()
      .string(1, PREFIX + name)
      .bytes(2, value)
      .finish(),
  );
}

/** Compares the start of the type URL. The first byte does not suffice: as a line feed, it may also begin JSON. */
function beginsAsAny(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(2, 2 + PREFIX.length));
  return bytes[0] === FIRST && start === PREFIX;
}
