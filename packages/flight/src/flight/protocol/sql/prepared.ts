/** Messages of prepared statements and of `CancelQuery`: bodies of actions, and answers to bound parameters. */

import { InvalidDataError } from "annarrow";
import type { CancelStatus } from "../action.js";
import { writeCancelResult } from "../action.js";
import { NO_BYTES } from "../descriptor.js";
import { type FlightInfo, readFlightInfo } from "../flight-info.js";
import { parseProtoFields } from "../proto-reader.js";
import { joinParts, ProtoWriter } from "../proto-writer.js";
import { writeSqlMessage } from "./any.js";

/** The body of a `CreatePreparedStatement` action. */
export interface PreparedRequest {
  readonly query: string;
  readonly transaction: Uint8Array;
}

/** The result of `CreatePreparedStatement`. Both schemas are encapsulated messages. */
export interface PreparedResult {
  readonly handle: Uint8Array;
  readonly schema: Uint8Array;
  readonly parameters: Uint8Array;
}

export function readPreparedRequest(bytes: Uint8Array): PreparedRequest {
  let query = "";
  let transaction = NO_BYTES;
  for (const field of parseProtoFields(bytes, "ActionCreatePreparedStatementRequest")) {
    if (field.number === 1) query = field.string();
    else if (field.number === 2) transaction = field.bytes();
  }
  return { query, transaction };
}

export function writePreparedResult({ handle, schema, parameters }: PreparedResult): Uint8Array<ArrayBuffer> {
  const message = new ProtoWriter().bytes(1, handle).bytes(2, schema).bytes(3, parameters);
  return writeSqlMessage("ActionCreatePreparedStatementResult", message);
}

/** Returns the response to bound parameters: the handle that later commands refer to, not wrapped in an `Any`. */
export function writeBoundResult(handle: Uint8Array): Uint8Array<ArrayBuffer> {
  return joinParts(new ProtoWriter().bytes(1, handle).finish());
}

/** Reads the body of `CancelQuery`. @throws {InvalidDataError} if it names no flight. */
export function readCancelQuery(bytes: Uint8Array): FlightInfo {
  let info: FlightInfo | null = null;
  for (const field of parseProtoFields(bytes, "ActionCancelQueryRequest")) {
    if (field.number === 1) info = readFlightInfo(field.bytes());
  }
  if (info === null) throw new InvalidDataError("a request to cancel a query has no flight");
  return info;
}

/** Writes the result of `CancelQuery`, which uses the same numbers as `CancelFlightInfo`. */
export function writeCancelQueryResult(status: CancelStatus): Uint8Array<ArrayBuffer> {
  return writeSqlMessage("ActionCancelQueryResult", writeCancelResult(status));
}
