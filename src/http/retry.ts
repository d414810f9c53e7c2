/** Repeats a request within one time limit, and runs actions when a signal aborts. */

import { InvalidDataError, InvalidInputError, isAnnarrowError } from "../model/errors.js";

/** A failure that may not happen again. It never leaves the sources. */
export class TransientError extends Error {
  override readonly name = "TransientError";
  /** Milliseconds to wait at least before the next attempt; null where the server does not say. */
  readonly delay: number | null;

  constructor(message: string, options: ErrorOptions & { readonly delay?: number | null } = {}) {
    super(message, options);
    this.delay = options.delay ?? null;
  }
}

/** Milliseconds of one request with all its attempts and pauses. */
export const DEFAULT_TIMEOUT = 60_000;

/** Bytes per millisecond of the slowest server that is waited for. */
export const SLOWEST = 4;

/** Most milliseconds of a timer. */
const MAX_TIMER = 2 ** 31 - 1;

/**
 * Time limit of one request with all its attempts: a fixed time, and the time that its bytes need at the slowest rate.
 */
export class Deadline {
  readonly #timeout: number;
  readonly #began = Date.now();
  #received = 0;

  /** @throws {InvalidInputError} for a timeout that is no number above 0. */
  constructor(timeout = DEFAULT_TIMEOUT) {
    if (!(timeout > 0)) throw new InvalidInputError(`a timeout is a number of milliseconds above 0, not ${timeout}`);
    this.#timeout = Math.min(timeout, MAX_TIMER);
  }

  received(bytes: number): void {
    this.#received += bytes;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return Math.min(MAX_TIMER, this.#began + this.#timeout + this.#received / SLOWEST - Date.now());
  }

  /** Time so far, such as `1.5 s`. */
  get spent(): string {
    return `${((Date.now() - this.#began) / 1000).toFixed(1)} s`;
  }
}

/** Longest pause before the next attempt, whatever a busy server asks for. */
const MAX_DELAY = 10_000;

/** One of the attempts of a request. */
export interface Attempt {
  /** Deadline of the request, all attempts included. */
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
}

export interface Retry {
  /** Number of attempts, including the first one. */
  readonly attempts: number;
  /** Milliseconds for all attempts, as `Deadline` counts. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Source in errors: a URL. */
  readonly source: string;
  /** Beginning of the error after the last attempt, such as a key. */
  readonly what?: string;
}

/**
 * Runs `action` until it succeeds: a `TransientError` is tried again after a pause that doubles each time, give or take a
 * quarter, everything else passes.
 * @throws {InvalidDataError} after the last attempt, or where there is no time for another.
 * @throws the signal's reason once it is aborted.
 */
export async function retried<T>(retry: Retry, action: (attempt: Attempt) => Promise<T>): Promise<T> {
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
      // Chance keeps requests that failed together from coming back together.
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

/** Waits; rejects with the signal's reason as soon as it aborts. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const takeBack = onAbort(signal, () => {
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
 * Runs `action` when the signal aborts. All actions share one listener: Node warns of a leak where a signal has more
 * than ten, and many reads run at once.
 * @returns the function that removes `action`.
 */
export function onAbort(signal: AbortSignal | undefined, action: () => void): () => void {
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
