/** Starts a stream of bytes before its consumer asks for the first chunk. */

/**
 * Number of chunks requested in advance. The first one or two are the head of the file and cost nothing, so that at
 * least one request starts the encoding of rows.
 */
const AHEAD = 3;

export interface Prefetched<T> {
  readonly chunks: AsyncGenerator<T>;
  /** Ends the source, whether or not a chunk was taken. */
  close(): Promise<unknown>;
}

/**
 * Starts `source` at once, so that its workers encode while the caller writes other tables. The caller must read
 * `chunks` to the end or call `close`.
 */
export function prefetch<T>(source: AsyncGenerator<T>): Prefetched<T> {
  const asked = Array.from({ length: AHEAD }, () => ask(source));
  return { chunks: taken(source, asked), close: () => source.return(undefined) };
}

async function* taken<T>(source: AsyncGenerator<T>, asked: Promise<IteratorResult<T>>[]): AsyncGenerator<T> {
  try {
    for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
      const result = await next;
      if (result.done) return;
      asked.push(ask(source));
      yield result.value;
    }
  } finally {
    await source.return(undefined);
  }
}

/** Requests the next chunk. Its error is thrown when the consumer reaches the chunk, or never if it does not. */
function ask<T>(source: AsyncGenerator<T>): Promise<IteratorResult<T>> {
  const next = source.next();
  next.catch(() => undefined);
  return next;
}
