import { isAnnarrowError } from "../errors.js";

/** A failure that may not happen again: never leaves the sources. */
export class TransientError extends Error {
  override readonly name = "TransientError";
}

/** Whether trying again makes sense: `TransientError`, and the `TypeError` by which fetch reports a broken connection. */
export function isTransient(error: unknown): boolean {
  return error instanceof TransientError || (error instanceof TypeError && !isAnnarrowError(error));
}

/** Waits; rejects with the signal's reason as soon as it aborts. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
