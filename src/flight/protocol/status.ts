/** Status codes of gRPC, and which of them our errors are. */

import {
  type AnnarrowError,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  NotFoundError,
  UnsupportedError,
} from "../../model/errors.js";

/** Positions are the codes. */
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

/** How a call ended that failed. A service throws it where no error of this library says the same. */
export class CallError extends Error {
  readonly status: StatusName;

  constructor(status: StatusName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.status = status;
  }
}

export function statusCode(status: StatusName): number {
  return NAMES.indexOf(status);
}

/** Codes that are none count as `UNKNOWN`, as the protocol has it. */
export function statusName(code: number): StatusName {
  return NAMES[code] ?? "UNKNOWN";
}

/** The status of a call in which `error` was thrown. Errors that are not meant for callers say nothing of themselves. */
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

/** What a client throws for a call that ended so. */
export function clientError(cause: CallError): AnnarrowError {
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

/** The status of a call that a client's error comes from; null where it comes from something else. */
export function statusBehind(error: unknown): StatusName | null {
  return error instanceof Error && error.cause instanceof CallError ? error.cause.status : null;
}
