/** Runs reads concurrently, but returns results and errors in the order of sequential reads. */

/** Maximum number of concurrent reads of metadata per dataset. */
const AT_ONCE = 16;

/** Limits the number of concurrent actions. An action must not wait for another action that uses the same limit. */
export class ConcurrencyLimit {
  #free = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/**
 * Runs `work` on several items at a time; `work` may also return its result directly.
 * @returns the results in the items' order.
 * @throws the error of the first failed item in this order, after all running items have ended.
 */
export async function mapConcurrently<T, U>(items: readonly T[], work: (item: T) => Promise<U> | U): Promise<U[]> {
  const results: U[] = [];
  const failures = new Map<number, unknown>();
  let next = 0;
  const worker = async () => {
    while (next < items.length && failures.size === 0) {
      const at = next++;
      try {
        const result = work(items[at]);
        results[at] = result instanceof Promise ? await result : result;
      } catch (error) {
        failures.set(at, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}

/** Waits for both promises. @throws the error of `first`, otherwise the error of `second`. */
export async function waitForBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return [a.value, b.value];
}
