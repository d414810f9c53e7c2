/**
 * Pauses long work for the event loop, since promises alone let no timer, message or signal of the system through; and ends
 * waiting on a signal.
 */

/** Lets the event loop turn once. A timer, which pages have instead of `setImmediate`, takes a millisecond. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Milliseconds of work between two pauses. */
const TURN_MILLISECONDS = 25;

/** Long work that may run in memory alone, without ever waiting. */
export class LongWork {
  readonly #signal: AbortSignal | undefined;
  #turned = performance.now();

  /** @param signal checked in each turn. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Returns a promise every 25 ms, which waits for a turn of the event loop and rejects once the signal is aborted;
   * else null.
   */
  pause(): Promise<void> | null {
    return performance.now() - this.#turned < TURN_MILLISECONDS ? null : this.#turn();
  }

  async #turn(): Promise<void> {
    await turn();
    this.#turned = performance.now();
    this.#signal?.throwIfAborted();
  }
}

/** Waits for `promise`, but throws the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
