/** Retries a request within a single time limit, and runs actions when a signal is aborted. */

import { InvalidDataError, InvalidInputError, isAnnarrowError } from "../../model/errors.js";

/** A failure that may be temporary. It is never thrown to the callers of sources. */
export class TransientError extends Error {
  override readonly name = "TransientError";
  /** Minimum milliseconds before the next attempt; null if the server does not specify it. */
  readonly delay: number | null;

  constructor(message: string, options: ErrorOptions & { readonly delay?: number | null } = {}) {
    super(message, options);
    this.delay = options.delay ?? null;
  }
}

/** Time limit in milliseconds of one request, including all attempts and pauses. */
const DEFAULT_TIMEOUT = 60_000;

/** Minimum transfer rate in bytes per millisecond. Requests to slower servers time out. */
export const SLOWEST = 4;

/** Maximum delay of a timer in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/**
 * Time limit for one request, including all attempts: a fixed time plus the time needed to transfer the bytes at the
 * slowest accepted rate.
 */
export class Deadline {
  readonly #timeout: number;
  readonly #began = Date.now();
  #received = 0;

  /** @throws {InvalidInputError} for a timeout that is not a positive number. */
  constructor(timeout = DEFAULT_TIMEOUT) {
    if (!(timeout > 0)) throw new InvalidInputError(`a timeout is a number of milliseconds above 0, not ${timeout}`);
    this.#timeout = Math.min(timeout, MAX_TIMER);
  }

  received(bytes: number): void {
    this.#received += bytes;
  }

  /** Milliseconds remaining. */
  get left(): number {
    return Math.min(MAX_TIMER, this.#began + this.#timeout + this.#received / SLOWEST - Date.now());
  }

  /** Elapsed time, such as `1.5 s`. */
  get spent(): string {
    return `${((Date.now() - this.#began) / 1000).toFixed(1)} s`;
  }
}

/** Maximum pause in milliseconds before the next attempt, even if a busy server asks for more. */
const MAX_DELAY = 10_000;

export interface Attempt {
  /** Deadline of the request, including all attempts. */
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
}

export interface Retry {
  /** Number of attempts, including the first. */
  readonly attempts: number;
  /** Time limit in milliseconds for all attempts, as in `Deadline`. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Name of the source in errors: a URL. */
  readonly source: string;
  /** Beginning of the error after the last attempt, such as a key. */
  readonly what?: string;
}

/**
 * Runs `action` until it succeeds. After a `TransientError`, retries after a pause that doubles each time, varied
 * randomly by up to 25 %. Other errors are thrown.
 * @throws {InvalidDataError} after the last attempt, or if there is no time for another one.
 * @throws the signal's reason once it is aborted.
 */
export async function runWithRetry<T>(retry: Retry, action: (attempt: Attempt) => Promise<T>): Promise<T> {
  const { attempts, signal, source, what = "" } = retry;
  const deadline = new Deadline(retry.timeout);
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await action({ deadline, signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (isAnnarrowError(error)) throw error.locate({ source });
      if (!(error instanceof TransientError)) throw error;
      // The random factor keeps requests that failed together from being retried at the same time.
      const delay = Math.min(error.delay ?? 50 * 2 ** attempt * (0.75 + Math.random() / 2), MAX_DELAY);
      if (attempt >= attempts || deadline.left <= delay) {
        const made = `${attempt} attempt${attempt === 1 ? "" : "s"} in ${deadline.spent}`;
        throw new InvalidDataError(`${what}${error.message}, after ${made}`, {
          ...{ source, cause: error, code: "outside" },
        });
      }
      await pause(delay, signal);
    }
  }
}

/** Pauses. Rejects with the signal's reason as soon as the signal is aborted. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const takeBack = addAbortAction(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
    const timer = setTimeout(() => {
      takeBack();
      resolve();
    }, milliseconds);
  });
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs `action` when the signal is aborted. All actions share one listener, because many reads run at once, and Node
 * warns of a leak if a signal has more than ten listeners.
 * @returns a function that removes `action`.
 */
export function addAbortAction(signal: AbortSignal | undefined, action: () => void): () => void {
  if (signal === undefined) return () => undefined;
  let actions = waiting.get(signal);
  if (actions === undefined) {
    const all = new Set<() => void>();
    signal.addEventListener("abort", () => all.forEach((one) => void one()), { once: true });
    waiting.set(signal, all);
    actions = all;
  }
  const own = () => action();
  actions.add(own);
  return () => void actions.delete(own);
}
