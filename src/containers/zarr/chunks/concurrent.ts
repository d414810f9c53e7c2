/** Runs `work` on every item, at most `limit` at a time. The first failure ends it; what has begun then is awaited. */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  async function worker(): Promise<void> {
    for (let next = iterator.next(); !next.done && failure === undefined; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, worker));
  if (failure !== undefined) throw failure.error;
}
