/** Errors of answers whose status has already been sent. The page requests such an error at its own address. */

import { toFailure } from "@annarrow/flight";
import { isAnnarrowError } from "annarrow";
import type { ViewError } from "../view-request.js";

/** Prefix of error addresses. */
export const FAILURE = "/failure/";

/** Header that contains the address at which the error can be requested if the answer breaks off. */
export const FAILURE_HEADER = "x-annarrow-failure";

/** Maximum number of stored errors. */
const MAX_KEPT = 100;

export class StreamFailures {
  #count = 0;
  readonly #kept = new Map<string, ViewError>();

  /** Returns the address under which an error of a new answer will be available. */
  begin(): string {
    return `${FAILURE}${this.#count++}`;
  }

  note(address: string, error: unknown): void {
    this.#kept.set(address, toViewError(error));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Removes and returns the error at an address; null if the answer did not fail. */
  take(address: string): ViewError | null {
    const found = this.#kept.get(address) ?? null;
    this.#kept.delete(address);
    return found;
  }
}

/** Converts an error to the form that is sent to the page. */
export function toViewError(error: unknown): ViewError {
  const { reason, message } = toFailure(error);
  return { error: isAnnarrowError(error) ? error.tag : reason, message };
}
