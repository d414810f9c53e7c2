/** A service's actions and their results, and the actions that the protocol itself defines. */

import { InvalidDataError } from "annarrow";
import { NO_BYTES } from "./descriptor.js";
import { type FlightEndpoint, type FlightInfo, readEndpoint, readFlightInfo } from "./flight-info.js";
import { parseProtoFields } from "./proto-reader.js";
import { ProtoWriter } from "./proto-writer.js";

export interface Action {
  readonly type: string;
  readonly body: Uint8Array;
}

export interface ActionType {
  readonly type: string;
  readonly description: string;
}

export interface ActionResult {
  readonly body: Uint8Array;
}

/** A service's response to one part of an upload. */
export interface PutResult {
  readonly appMetadata: Uint8Array;
}

/** Action types that the protocol defines. The messages below are their bodies and results. */
export const CANCEL_FLIGHT_INFO = "CancelFlightInfo";
export const RENEW_FLIGHT_ENDPOINT = "RenewFlightEndpoint";

/** The index of each entry is its number in `CancelStatus`. */
const CANCEL_STATUS = ["unspecified", "cancelled", "cancelling", "not-cancellable"] as const;
export type CancelStatus = (typeof CANCEL_STATUS)[number];

export function writeAction({ type, body }: Action): ProtoWriter {
  return new ProtoWriter().string(1, type).bytes(2, body);
}

export function readAction(bytes: Uint8Array): Action {
  let type = "";
  let body = NO_BYTES;
  for (const field of parseProtoFields(bytes, "Action")) {
    if (field.number === 1) type = field.string();
    else if (field.number === 2) body = field.bytes();
  }
  return { type, body };
}

export function writeActionType({ type, description }: ActionType): ProtoWriter {
  return new ProtoWriter().string(1, type).string(2, description);
}

export function readActionType(bytes: Uint8Array): ActionType {
  let type = "";
  let description = "";
  for (const field of parseProtoFields(bytes, "ActionType")) {
    if (field.number === 1) type = field.string();
    else if (field.number === 2) description = field.string();
  }
  return { type, description };
}

export function writeActionResult({ body }: ActionResult): ProtoWriter {
  return new ProtoWriter().bytes(1, body);
}

export function readActionResult(bytes: Uint8Array): ActionResult {
  let body = NO_BYTES;
  for (const field of parseProtoFields(bytes, "Result")) if (field.number === 1) body = field.bytes();
  return { body };
}

export function writePutResult({ appMetadata }: PutResult): ProtoWriter {
  return new ProtoWriter().bytes(1, appMetadata);
}

export function readPutResult(bytes: Uint8Array): PutResult {
  let appMetadata = NO_BYTES;
  for (const field of parseProtoFields(bytes, "PutResult")) if (field.number === 1) appMetadata = field.bytes();
  return { appMetadata };
}

/** Reads the body of the action `CancelFlightInfo`. @throws {InvalidDataError} if it names no flight. */
export function readCancelFlightInfo(bytes: Uint8Array): FlightInfo {
  let info: FlightInfo | null = null;
  for (const field of parseProtoFields(bytes, "CancelFlightInfoRequest")) {
    if (field.number === 1) info = readFlightInfo(field.bytes());
  }
  if (info === null) throw new InvalidDataError("a request to cancel a flight has no flight");
  return info;
}

/** Writes the result of the action `CancelFlightInfo`. */
export function writeCancelResult(status: CancelStatus): ProtoWriter {
  return new ProtoWriter().int64(1, BigInt(CANCEL_STATUS.indexOf(status)));
}

/**
 * Reads the body of the action `RenewFlightEndpoint`.
 * @throws {InvalidDataError} if it contains no endpoint.
 */
export function readRenewEndpoint(bytes: Uint8Array): FlightEndpoint {
  let endpoint: FlightEndpoint | null = null;
  for (const field of parseProtoFields(bytes, "RenewFlightEndpointRequest")) {
    if (field.number === 1) endpoint = readEndpoint(field.bytes());
  }
  if (endpoint === null) throw new InvalidDataError("a request to renew an endpoint has no endpoint");
  return endpoint;
}

/** Encodes `value` as UTF-8 JSON, the format of actions, tickets, and metadata that accompanies Arrow data. */
export function encodeJsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
