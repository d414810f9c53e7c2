/** Bytes that begin to be made before anybody takes them. */

/** How many chunks are asked for in advance: the first one or two are the head of the file, and cost nothing. */
const AHEAD = 3;

export interface Begun<T> {
  readonly chunks: AsyncGenerator<T>;
  /** Ends it, whether or not anything was taken. */
  close(): Promise<unknown>;
}

/**
 * `source`, begun at once: its workers have something to do while the caller is busy with something else. It must be
 * read to the end or closed.
 */
export function begun<T>(source: AsyncGenerator<T>): Begun<T> {
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

/** The next chunk; its error is thrown when its turn comes, or never. */
function ask<T>(source: AsyncGenerator<T>): Promise<IteratorResult<T>> {
  const next = source.next();
  next.catch(() => undefined);
  return next;
}
