import { InvalidDataError, isAnnarrowError } from "../errors.js";
import { onAbort } from "./on-abort.js";

/** A failure that may not happen again: never leaves the sources. */
export class TransientError extends Error {
  override readonly name = "TransientError";
  /** Milliseconds to wait at least before the next attempt; null where nobody said. */
  readonly delay: number | null;

  constructor(message: string, options: ErrorOptions & { readonly delay?: number | null } = {}) {
    super(message, options);
    this.delay = options.delay ?? null;
  }
}

/** Nobody waits longer than this for a server that is busy. */
const MAX_DELAY = 10_000;

export interface Retry {
  /** The first included. */
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
  /** What errors name: a URL. */
  readonly source: string;
  /** What the last error says before its reason: a key, say. */
  readonly what?: string;
}

/**
 * Runs `action` until it succeeds: a `TransientError` is tried again after a pause that doubles each time, everything
 * else passes.
 * @throws {InvalidDataError} after the last attempt.
 * @throws the signal's reason once it is aborted.
 */
export async function retried<T>(retry: Retry, action: () => Promise<T>): Promise<T> {
  const { attempts, signal, source, what = "" } = retry;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      signal?.throwIfAborted();
      if (isAnnarrowError(error)) throw error.locate({ source });
      if (!(error instanceof TransientError)) throw error;
      if (attempt >= attempts) {
        throw new InvalidDataError(`${what}${error.message}, after ${attempts} attempts`, { source, cause: error });
      }
      await pause(Math.min(error.delay ?? 50 * 2 ** attempt, MAX_DELAY), signal);
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
