/** Converts refusals and errors to status codes of Arrow Flight. */

import type { FlightHandlers } from "../../flight/protocol/service.js";
import { CallError, type StatusName } from "../../flight/protocol/status.js";
import { type Reason, toFailure } from "../requests/failure.js";

const STATUS: Readonly<Record<Reason, StatusName>> = {
  invalid: "INVALID_ARGUMENT",
  unauthenticated: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  "not-found": "NOT_FOUND",
  "not-allowed": "INVALID_ARGUMENT",
  "not-acceptable": "INVALID_ARGUMENT",
  exists: "ALREADY_EXISTS",
  gone: "NOT_FOUND",
  "too-large": "INVALID_ARGUMENT",
  "bad-range": "INVALID_ARGUMENT",
  unprocessable: "FAILED_PRECONDITION",
  misdirected: "PERMISSION_DENIED",
  // "Unavailable" means that a client may try again.
  exhausted: "UNAVAILABLE",
  busy: "RESOURCE_EXHAUSTED",
  cancelled: "CANCELLED",
  internal: "INTERNAL",
  unimplemented: "UNIMPLEMENTED",
  unavailable: "UNAVAILABLE",
  changed: "NOT_FOUND",
  deadline: "DEADLINE_EXCEEDED",
};

export function toFlightError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const { reason, message } = toFailure(error);
  return new CallError(STATUS[reason], message, { cause: error });
}

/** Wraps handlers so that every error becomes a status. */
export function withStatuses(handlers: FlightHandlers): FlightHandlers {
  return {
    handshake: (requests, call) => stream(() => handlers.handshake(requests, call)),
    listFlights: (criteria, call) => stream(() => handlers.listFlights(criteria, call)),
    getFlightInfo: (descriptor, call) => single(() => handlers.getFlightInfo(descriptor, call)),
    pollFlightInfo: (descriptor, call) => single(() => handlers.pollFlightInfo(descriptor, call)),
    getSchema: (descriptor, call) => single(() => handlers.getSchema(descriptor, call)),
    doGet: (ticket, call) => stream(() => handlers.doGet(ticket, call)),
    doPut: (data, call) => stream(() => handlers.doPut(data, call)),
    doExchange: (data, call) => stream(() => handlers.doExchange(data, call)),
    doAction: (action, call) => stream(() => handlers.doAction(action, call)),
    listActions: (call) => stream(() => handlers.listActions(call)),
  };
}

async function single<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw toFlightError(error);
  }
}

async function* stream<T>(action: () => AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* action();
  } catch (error) {
    throw toFlightError(error);
  }
}
