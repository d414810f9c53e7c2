/** What a request ended in, in words that HTTP and gRPC share; nothing of the server's own paths leaves it. */

import { type AnnarrowError, type AnnarrowErrorTag, isAnnarrowError, isCancellation } from "../../model/errors.js";

/** Reasons, with the status that each has in HTTP. */
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
  /** A file that is not read here, whatever is asked of it. */
  unprocessable: 422,
  exhausted: 429,
  /** As `exhausted`, of what takes so much that it is not worth trying again at once. */
  busy: 429,
  cancelled: 499,
  internal: 500,
  unimplemented: 501,
  unavailable: 503,
  /** What was meant is not there any more; another one may be asked for. */
  changed: 503,
  deadline: 504,
} as const;
export type Reason = keyof typeof HTTP_STATUS;

/** A request that is refused, or could not be answered. Never leaves the server but as a status and a message. */
export class Refusal extends Error {
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

/** Messages go into headers and trailers, which have limits. */
const LONGEST = 1000;

/** Control characters, which header lines may not have. */
const CONTROL = /\p{Cc}+/gu;

/**
 * What a client is told of `error`: the element and what is wrong, not where the file lies.
 * @param name of the dataset, in place of its path.
 */
export function failureOf(error: unknown, name?: string): Failure {
  if (error instanceof Refusal) return { reason: error.reason, message: shown(error.message) };
  if (isAnnarrowError(error)) {
    const parts = [name, error.element, error.problem].filter((part) => part !== undefined && part !== "");
    const text = parts.join(": ");
    // What has no name has no path to hide: nothing stands between any two characters.
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
  // What was not foreseen may say anything: it is for the log alone.
  return { reason: "internal", message: "internal error; the server's log has it" };
}

/**
 * A link that leads out of a store is as forbidden as one that leads out of the served folder; a chunk that has changed is
 * as gone as a file.
 */
function reasonOf({ tag, code }: AnnarrowError): Reason {
  switch (code) {
    case "symlink-escape":
      return "forbidden";
    case "source-changed":
      return "changed";
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
