/** Outcomes of failed requests, for both HTTP and gRPC. Messages never contain the server's paths. */

import { type AnnarrowError, type AnnarrowErrorTag, isAnnarrowError } from "annarrow";
import { isCancellation } from "annarrow/core/model";

export const HTTP_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  "not-allowed": 405,
  "not-acceptable": 406,
  exists: 409,
  gone: 410,
  "too-large": 413,
  "bad-range": 416,
  misdirected: 421,
  /** The server cannot read the file, whatever is requested. */
  unprocessable: 422,
  exhausted: 429,
  /** Like `exhausted`, but for expensive requests, which a client should not retry immediately. */
  busy: 429,
  cancelled: 499,
  internal: 500,
  unimplemented: 501,
  unavailable: 503,
  /** The dataset changed after the client requested it. The client may request the new dataset. */
  changed: 503,
  deadline: 504,
} as const;
export type Reason = keyof typeof HTTP_STATUS;

/** A refused or failed request. Clients receive only its status and message. */
export class RequestError extends Error {
  override readonly name = "Refusal";
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Failure {
  readonly reason: Reason;
  readonly message: string;
}

const REASONS: Readonly<Record<AnnarrowErrorTag, Reason>> = {
  NotFoundError: "not-found",
  InvalidInputError: "invalid",
  UnsupportedError: "unimplemented",
  InvalidDataError: "internal",
  MissingDependencyError: "unimplemented",
};

/** Maximum length of a message. Headers and trailers, which contain messages, have size limits. */
const LONGEST = 1000;

/** Control characters, which header lines must not contain. */
const CONTROL = /\p{Cc}+/gu;

/**
 * Returns the reason and message of `error` for clients: the element and the problem, without the path of the file.
 * @param name name of the dataset, which replaces its path in the message.
 */
export function toFailure(error: unknown, name?: string): Failure {
  if (error instanceof RequestError) return { reason: error.reason, message: shown(error.message) };
  if (isAnnarrowError(error)) {
    const parts = [name, error.element, error.problem].filter((part) => part !== undefined && part !== "");
    const text = parts.join(": ");
    // An empty source has no path to hide; replacing it would insert the name between all characters.
    const source = error.source === "" ? undefined : error.source;
    return {
      reason: reasonOf(error),
      message: shown(source === undefined ? text : text.replaceAll(source, name ?? "")),
    };
  }
  if (isCancellation(error)) {
    const deadline = error instanceof Error && error.name === "TimeoutError";
    return deadline
      ? { reason: "deadline", message: "the time for this request is over" }
      : { reason: "cancelled", message: "the request was cancelled" };
  }
  // The message of an unexpected error may contain anything, so it goes only to the log.
  return { reason: "internal", message: "internal error; the server's log has it" };
}

/**
 * A symbolic link that leads out of a store is forbidden, like a link that leads out of the served folder. A changed
 * chunk counts as a changed file.
 */
function reasonOf({ tag, code }: AnnarrowError): Reason {
  switch (code) {
    case "symlink-escape":
      return "forbidden";
    case "source-changed":
      return "changed";
    case "outside":
    case undefined:
      return REASONS[tag];
    default:
      return code satisfies never;
  }
}

function shown(text: string): string {
  const line = text.replace(CONTROL, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
