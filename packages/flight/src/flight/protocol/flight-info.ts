/** Descriptions of flights: `FlightInfo` with its endpoints, `PollInfo`, `SchemaResult`. */

import { InvalidDataError } from "annarrow";
import {
  type FlightDescriptor,
  type FlightLocation,
  type FlightTicket,
  NO_BYTES,
  readDescriptor,
  readLocation,
  readTicket,
  writeDescriptor,
  writeLocation,
  writeTicket,
} from "./descriptor.js";
import { parseProtoFields } from "./proto-reader.js";
import { ProtoWriter } from "./proto-writer.js";

export interface FlightInfo {
  /** A schema as an encapsulated IPC message; empty if the service omits it. */
  readonly schema: Uint8Array;
  readonly descriptor: FlightDescriptor | null;
  readonly endpoints: readonly FlightEndpoint[];
  /** -1 where unknown. */
  readonly totalRecords: number;
  /** -1 where unknown. */
  readonly totalBytes: number;
  /** True if the rows are in the order of the endpoints. */
  readonly ordered: boolean;
  readonly appMetadata: Uint8Array;
}

export interface FlightEndpoint {
  readonly ticket: FlightTicket;
  /** Services that accept the ticket. If empty, the service that created the ticket accepts it. */
  readonly locations: readonly FlightLocation[];
  /** Expiration time of the ticket; null for a single-use ticket. */
  readonly expirationTime: Date | null;
  readonly appMetadata: Uint8Array;
}

/** Progress of a flight that takes long to prepare. */
export interface PollInfo {
  readonly info: FlightInfo | null;
  /** Descriptor of the next poll; null if the flight is complete. */
  readonly descriptor: FlightDescriptor | null;
  /** Between 0 and 1; null if unknown. */
  readonly progress: number | null;
  readonly expirationTime: Date | null;
}

/** A schema as an encapsulated IPC message. */
export interface SchemaResult {
  readonly schema: Uint8Array;
}

export function writeFlightInfo(info: FlightInfo): ProtoWriter {
  const out = new ProtoWriter().bytes(1, info.schema);
  if (info.descriptor !== null) out.message(2, writeDescriptor(info.descriptor));
  for (const endpoint of info.endpoints) out.message(3, writeEndpoint(endpoint));
  return out
    .int64(4, BigInt(info.totalRecords))
    .int64(5, BigInt(info.totalBytes))
    .bool(6, info.ordered)
    .bytes(7, info.appMetadata);
}

export function readFlightInfo(bytes: Uint8Array): FlightInfo {
  let schema = NO_BYTES;
  let descriptor: FlightDescriptor | null = null;
  const endpoints: FlightEndpoint[] = [];
  let totalRecords = 0;
  let totalBytes = 0;
  let ordered = false;
  let appMetadata = NO_BYTES;
  for (const field of parseProtoFields(bytes, "FlightInfo")) {
    if (field.number === 1) schema = field.bytes();
    else if (field.number === 2) descriptor = readDescriptor(field.bytes());
    else if (field.number === 3) endpoints.push(readEndpoint(field.bytes()));
    else if (field.number === 4) totalRecords = field.size();
    else if (field.number === 5) totalBytes = field.size();
    else if (field.number === 6) ordered = field.bool();
    else if (field.number === 7) appMetadata = field.bytes();
  }
  return { schema, descriptor, endpoints, totalRecords, totalBytes, ordered, appMetadata };
}

export function writeEndpoint(endpoint: FlightEndpoint): ProtoWriter {
  const out = new ProtoWriter().message(1, writeTicket(endpoint.ticket));
  for (const location of endpoint.locations) out.message(2, writeLocation(location));
  return out.message(3, writeTime(endpoint.expirationTime)).bytes(4, endpoint.appMetadata);
}

export function readEndpoint(bytes: Uint8Array): FlightEndpoint {
  let ticket: FlightTicket = { ticket: NO_BYTES };
  const locations: FlightLocation[] = [];
  let expirationTime: Date | null = null;
  let appMetadata = NO_BYTES;
  for (const field of parseProtoFields(bytes, "FlightEndpoint")) {
    if (field.number === 1) ticket = readTicket(field.bytes());
    else if (field.number === 2) locations.push(readLocation(field.bytes()));
    else if (field.number === 3) expirationTime = readTime(field.bytes());
    else if (field.number === 4) appMetadata = field.bytes();
  }
  return { ticket, locations, expirationTime, appMetadata };
}

export function writePollInfo({ info, descriptor, progress, expirationTime }: PollInfo): ProtoWriter {
  const out = new ProtoWriter()
    .message(1, info === null ? null : writeFlightInfo(info))
    .message(2, descriptor === null ? null : writeDescriptor(descriptor));
  if (progress !== null) out.double(3, progress);
  return out.message(4, writeTime(expirationTime));
}

export function readPollInfo(bytes: Uint8Array): PollInfo {
  let info: FlightInfo | null = null;
  let descriptor: FlightDescriptor | null = null;
  let progress: number | null = null;
  let expirationTime: Date | null = null;
  for (const field of parseProtoFields(bytes, "PollInfo")) {
    if (field.number === 1) info = readFlightInfo(field.bytes());
    else if (field.number === 2) descriptor = readDescriptor(field.bytes());
    else if (field.number === 3) progress = field.double();
    else if (field.number === 4) expirationTime = readTime(field.bytes());
  }
  return { info, descriptor, progress, expirationTime };
}

export function writeSchemaResult({ schema }: SchemaResult): ProtoWriter {
  return new ProtoWriter().bytes(1, schema);
}

export function readSchemaResult(bytes: Uint8Array): SchemaResult {
  let schema = NO_BYTES;
  for (const field of parseProtoFields(bytes, "SchemaResult")) if (field.number === 1) schema = field.bytes();
  return { schema };
}

function writeTime(time: Date | null): ProtoWriter | null {
  if (time === null) return null;
  const milliseconds = time.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const nanoseconds = (milliseconds - 1000 * seconds) * 1e6;
  return new ProtoWriter().int64(1, BigInt(seconds)).int64(2, BigInt(nanoseconds));
}

function readTime(bytes: Uint8Array): Date {
  let seconds = 0;
  let nanoseconds = 0;
  for (const field of parseProtoFields(bytes, "Timestamp")) {
    if (field.number === 1) seconds = field.size();
    else if (field.number === 2) nanoseconds = field.int32();
  }
  const time = new Date(1000 * seconds + Math.floor(nanoseconds / 1e6));
  if (Number.isNaN(time.getTime())) throw new InvalidDataError(`${seconds} seconds since 1970 are no time`);
  return time;
}
