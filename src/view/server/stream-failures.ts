/** Errors of answers that had begun: their status was sent, so the page asks for them by a number. */

import { isAnnarrowError } from "../../model/errors.js";
import { failureOf } from "../../serve/requests/failure.js";
import type { ViewError } from "../view-request.js";

/** Begins the addresses of errors. */
export const FAILURE = "/failure/";

/** Header of an answer that has the address of its error, should it break off. */
export const FAILURE_HEADER = "x-annarrow-failure";

/** Errors that are kept. */
const MOST_KEPT = 100;

export class StreamFailures {
  #count = 0;
  readonly #kept = new Map<string, ViewError>();

  /** The address of the error of the answer that begins now. */
  begin(): string {
    return `${FAILURE}${this.#count++}`;
  }

  note(address: string, error: unknown): void {
    this.#kept.set(address, errorOf(error));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The error at an address; null where the answer did not fail. */
  take(address: string): ViewError | null {
    const found = this.#kept.get(address) ?? null;
    this.#kept.delete(address);
    return found;
  }
}

/** An error as the page gets it. */
export function errorOf(error: unknown): ViewError {
  const { reason, message } = failureOf(error);
  return { error: isAnnarrowError(error) ? error.tag : reason, message };
}
