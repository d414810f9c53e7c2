/**
 * Pauses long work so that the event loop can run, because awaiting promises alone does not let timers, messages or
 * system signals through. Also ends a wait when a signal is aborted.
 */

/** Lets the event loop take one turn. Web pages have no `setImmediate`, and their timer takes a millisecond. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Milliseconds of work between two pauses. */
const TURN_MILLISECONDS = 25;

/** Long work that may run in memory without ever awaiting I/O. */
export class LongWork {
  readonly #signal: AbortSignal | undefined;
  #turned = performance.now();

  /** @param signal checked in every turn. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Every 25 ms, returns a promise that waits for a turn of the event loop, and rejects if the signal is aborted.
   * Otherwise returns null.
   */
  pause(): Promise<void> | null {
    return performance.now() - this.#turned < TURN_MILLISECONDS ? null : this.#turn();
  }

  async #turn(): Promise<void> {
    await yieldToEventLoop();
    this.#turned = performance.now();
    this.#signal?.throwIfAborted();
  }
}

/** Waits for `promise`, but throws the signal's reason as soon as the signal is aborted. */
export function waitUnlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
