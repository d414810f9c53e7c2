/** Reads that wait for each other's answers no longer than they must: many at once, results and errors as one by one. */

/** Reads of metadata under way at the same time, per dataset. */
const AT_ONCE = 16;

/** Lets a few actions run at a time; the others wait for their turn. None may wait for another one. */
export class ConcurrencyLimit {
  #free = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await action();
    } finally {
      // The turn goes on to the next in line, if there is one.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/**
 * Runs `work` on the items, several at a time; what it has at once needs no promise.
 * @returns the results in the items' order.
 * @throws the error of the first item in that order that fails; nothing runs any more then.
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

/** Waits for both. @throws the error of the first, before that of the second. */
export async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return [a.value, b.value];
}
