/** Names and locations of flights: `FlightDescriptor`, `Ticket`, `Location`, `Criteria`. */

import { InvalidDataError } from "annarrow";
import { parseProtoFields } from "./proto-reader.js";
import { ProtoWriter } from "./proto-writer.js";

export type FlightDescriptor =
  | { readonly kind: "path"; readonly path: readonly string[] }
  | { readonly kind: "command"; readonly command: Uint8Array }
  /** A message without a type, which programs send only by mistake. */
  | { readonly kind: "unknown" };

/** An opaque identifier of one stream. */
export interface FlightTicket {
  readonly ticket: Uint8Array;
}

/** A URI such as `grpc+tcp://host:port`. */
export interface FlightLocation {
  readonly uri: string;
}

/** Filter for a listing, in a service-specific form; empty for all flights. */
export interface Criteria {
  readonly expression: Uint8Array;
}

const PATH = 1;
const COMMAND = 2;

/** Maximum number of names in a path, more than in any real path. */
const MAX_PATH = 1024;

export const NO_BYTES: Uint8Array = new Uint8Array(0);

export function writeDescriptor(descriptor: FlightDescriptor): ProtoWriter {
  const out = new ProtoWriter();
  switch (descriptor.kind) {
    case "path":
      return out.int64(1, BigInt(PATH)).strings(3, descriptor.path);
    case "command":
      return out.int64(1, BigInt(COMMAND)).bytes(2, descriptor.command);
    case "unknown":
      return out;
    default:
      return descriptor satisfies never;
  }
}

/** @throws {InvalidDataError} for an unknown type or a path of more than 1,024 names. */
export function readDescriptor(bytes: Uint8Array): FlightDescriptor {
  let type = 0;
  let command = NO_BYTES;
  const path: string[] = [];
  for (const field of parseProtoFields(bytes, "FlightDescriptor")) {
    if (field.number === 1) type = field.int32();
    else if (field.number === 2) command = field.bytes();
    else if (field.number === 3) path.push(field.string());
    if (path.length > MAX_PATH) throw new InvalidDataError(`a descriptor's path has more than ${MAX_PATH} names`);
  }
  switch (type) {
    case 0:
      return { kind: "unknown" };
    case PATH:
      return { kind: "path", path };
    case COMMAND:
      return { kind: "command", command };
    default:
      throw new InvalidDataError(`a descriptor has the type ${type}; 1 (path) and 2 (command) are known`);
  }
}

export function writeTicket({ ticket }: FlightTicket): ProtoWriter {
  return new ProtoWriter().bytes(1, ticket);
}

export function readTicket(bytes: Uint8Array): FlightTicket {
  let ticket = NO_BYTES;
  for (const field of parseProtoFields(bytes, "Ticket")) if (field.number === 1) ticket = field.bytes();
  return { ticket };
}

export function writeLocation({ uri }: FlightLocation): ProtoWriter {
  return new ProtoWriter().string(1, uri);
}

export function readLocation(bytes: Uint8Array): FlightLocation {
  let uri = "";
  for (const field of parseProtoFields(bytes, "Location")) if (field.number === 1) uri = field.string();
  return { uri };
}

export function writeCriteria({ expression }: Criteria): ProtoWriter {
  return new ProtoWriter().bytes(1, expression);
}

export function readCriteria(bytes: Uint8Array): Criteria {
  let expression = NO_BYTES;
  for (const field of parseProtoFields(bytes, "Criteria")) if (field.number === 1) expression = field.bytes();
  return { expression };
}
