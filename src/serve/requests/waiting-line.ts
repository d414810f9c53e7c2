/** Waiting for a place that somebody else leaves: the same for all that is limited. */

/** Somebody in a line; `admit` takes it out of the line and lets it go on. */
export interface Waiter {
  readonly admit: () => void;
}

/**
 * Waits at the end of `line` until admitted.
 * @param gone called where it leaves the line without a place.
 * @throws what `signal` says, where it is aborted meanwhile.
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
