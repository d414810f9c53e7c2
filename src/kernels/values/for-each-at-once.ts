/** Processes many items with limited concurrency. */

/**
 * Runs `work` for each item, at most `atOnce` items at a time. No further item is started after a failure.
 * @throws the first error, after all started items have ended.
 */
export async function processConcurrently<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // An item may fail while the next one is awaited, so its error is stored here.
  const failures: unknown[] = [];
  const underWay = new Set<Promise<void>>();
  const run = async (item: T) => {
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    for await (const item of items) {
      if (failures.length > 0) break;
      const one = run(item).finally(() => underWay.delete(one));
      underWay.add(one);
      if (underWay.size >= atOnce) await Promise.race(underWay);
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
