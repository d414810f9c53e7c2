/** Limits the number of concurrent requests. Further requests wait in a queue. */

import { once } from "annarrow/core/kernels";
import { RequestError } from "./failure.js";

export class RequestLimit {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #what: string;
  #inside = 0;
  readonly #line = new Set<Waiter>();

  /** @param what names the limited requests in the message of a refusal, such as `streams`. */
  constructor(most: number, what: string, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#what = what;
    this.#mostWaiting = mostWaiting;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Enters immediately; null if the limit is reached or other requests wait. */
  tryEnter(): (() => void) | null {
    if (this.#inside >= this.#most || this.#line.size > 0) return null;
    this.#inside++;
    return this.#leaver();
  }

  /**
   * Waits for a slot and takes it. The caller releases it by calling the returned function.
   * @throws {RequestError} if too many requests already wait; the reason of `signal` if it is aborted while waiting.
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const at = this.tryEnter();
    if (at !== null) return at;
    if (this.#line.size >= this.#mostWaiting) {
      throw new RequestError(
        "exhausted",
        `too many ${this.#what}: ${this.#inside} run and ${this.#line.size} wait; try again later`,
      );
    }
    await waitIn(this.#line, signal);
    return this.#leaver();
  }

  #leaver(): () => void {
    return once(() => {
      const [next] = this.#line;
      if (next === undefined) this.#inside--;
      else next.admit();
    });
  }
}

/** A waiting request. `admit` removes it from the queue and lets it continue. */
export interface Waiter {
  readonly admit: () => void;
}

/**
 * Waits at the end of `line` until the request is admitted.
 * @param gone called if the request leaves the line without being admitted.
 * @throws the reason of `signal` if it is aborted while waiting.
 */
export function waitIn(line: Set<Waiter>, signal?: AbortSignal, gone?: () => void): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const waiter: Waiter = {
      admit: () => {
        line.delete(waiter);
        signal?.removeEventListener("abort", leave);
        resolve();
      },
    };
    const leave = () => {
      line.delete(waiter);
      gone?.();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    line.add(waiter);
  });
}
