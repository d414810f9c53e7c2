/** gRPC status codes, and the corresponding errors of this library. */

import {
  type AnnarrowError,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  NotFoundError,
  UnsupportedError,
} from "annarrow";
import { isCancellation } from "annarrow/core/model";

/** Status names, indexed by code. */
const NAMES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export type StatusName = (typeof NAMES)[number];

/** The status of a failed call. Services throw it if none of this library's errors fits. */
export class CallError extends Error {
  readonly status: StatusName;

  constructor(status: StatusName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.status = status;
  }
}

export function getStatusCode(status: StatusName): number {
  return NAMES.indexOf(status);
}

/** Returns the name of a code. Unknown codes are `UNKNOWN`, as the protocol requires. */
export function getStatusName(code: number): StatusName {
  return NAMES[code] ?? "UNKNOWN";
}

/** Returns the status of a call that threw `error`. The message of an unexpected error is not sent. */
export function callError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  if (isCancellation(error)) return new CallError("CANCELLED", "the call was cancelled", { cause: error });
  if (isAnnarrowError(error)) return new CallError(statusOf(error), error.message, { cause: error });
  return new CallError("INTERNAL", "internal error", { cause: error });
}

function statusOf({ tag }: AnnarrowError): StatusName {
  switch (tag) {
    case "NotFoundError":
      return "NOT_FOUND";
    case "InvalidInputError":
    case "InvalidDataError":
      return "INVALID_ARGUMENT";
    case "UnsupportedError":
      return "UNIMPLEMENTED";
    case "MissingDependencyError":
      return "FAILED_PRECONDITION";
    default:
      return tag satisfies never;
  }
}

/** Returns the error that a client throws for a failed call. */
export function toClientError(cause: CallError): AnnarrowError {
  const { status, message } = cause;
  const problem = `the server says ${status}: ${message}`;
  switch (status) {
    case "NOT_FOUND":
      return new NotFoundError(problem, { cause });
    case "UNAVAILABLE":
      return new NotFoundError(`the server cannot be reached: ${message}`, { cause });
    case "UNAUTHENTICATED":
    case "PERMISSION_DENIED":
      return new InvalidInputError(`${problem} (the options token and basic say who asks)`, { cause });
    case "INVALID_ARGUMENT":
    case "OUT_OF_RANGE":
    case "ALREADY_EXISTS":
    case "FAILED_PRECONDITION":
      return new InvalidInputError(problem, { cause });
    case "UNIMPLEMENTED":
    case "RESOURCE_EXHAUSTED":
      return new UnsupportedError(problem, { cause });
    case "OK":
    case "CANCELLED":
    case "UNKNOWN":
    case "DEADLINE_EXCEEDED":
    case "ABORTED":
    case "INTERNAL":
    case "DATA_LOSS":
      return new InvalidDataError(problem, { cause });
    default:
      return status satisfies never;
  }
}

/** Returns the status that caused a client's error; null for an error that no call caused. */
export function findErrorStatus(error: unknown): StatusName | null {
  return error instanceof Error && error.cause instanceof CallError ? error.cause.status : null;
}
