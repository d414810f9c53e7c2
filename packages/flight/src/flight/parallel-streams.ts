/** Reads several streams concurrently, with a bounded number of bytes buffered ahead of the consumer. */

/** Wakes every waiting reader when any of the streams has changed. */
class Changes {
  #tell: () => void = () => undefined;
  #told = Promise.resolve();

  constructor() {
    this.tell();
  }

  next(): Promise<void> {
    return this.#told;
  }

  tell(): void {
    const tell = this.#tell;
    this.#told = new Promise((resolve) => {
      this.#tell = resolve;
    });
    tell();
  }
}

class BufferedStream<T> {
  readonly #source: AsyncGenerator<T>;
  readonly #sizeOf: (value: T) => number;
  readonly #most: number;
  readonly #waiting: T[] = [];
  #bytes = 0;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;
  readonly #changes: Changes;

  constructor(source: AsyncGenerator<T>, sizeOf: (value: T) => number, most: number, changes: Changes) {
    this.#source = source;
    this.#changes = changes;
    this.#sizeOf = sizeOf;
    this.#most = most;
    void this.#pump();
  }

  get isReady(): boolean {
    return this.#ended || this.#waiting.length > 0;
  }

  /** Waits for the next value; undefined at the end. */
  async next(): Promise<T | undefined> {
    while (!this.isReady) await this.#changes.next();
    const value = this.#waiting.shift();
    if (value !== undefined) {
      this.#bytes -= this.#sizeOf(value);
      this.#changes.tell();
    } else if (this.#failure !== null) throw this.#failure.error;
    return value;
  }

  /** Ends the stream. The caller must first abort the stream's pending requests. */
  close(): void {
    this.#ended = true;
    this.#changes.tell();
    void this.#source.return(undefined).catch(() => undefined);
  }

  async #pump(): Promise<void> {
    try {
      for await (const value of this.#source) {
        this.#waiting.push(value);
        this.#bytes += this.#sizeOf(value);
        this.#changes.tell();
        while (this.#bytes > this.#most && !this.#ended) await this.#changes.next();
        if (this.#ended) return;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#ended = true;
      this.#changes.tell();
    }
  }
}

export interface ParallelStreams<T> {
  readonly sizeOf: (value: T) => number;
  readonly atOnce: number;
  /** Maximum number of buffered bytes across all streams. Each stream may exceed its share by one value. */
  readonly bytes: number;
  /** True if values are yielded in the order of the streams. Otherwise they are yielded in order of arrival. */
  readonly ordered: boolean;
}

/** Yields the values of all `streams`. A stream starts when another has ended. Leaving the loop early ends them all. */
export async function* mergeParallelStreams<T>(
  streams: readonly (() => AsyncGenerator<T>)[],
  { sizeOf, atOnce, bytes, ordered }: ParallelStreams<T>,
): AsyncGenerator<T> {
  const changes = new Changes();
  const running: BufferedStream<T>[] = [];
  let begun = 0;
  const begin = () => {
    while (begun < streams.length && running.length < atOnce) {
      running.push(new BufferedStream(streams[begun++](), sizeOf, bytes / atOnce, changes));
    }
  };
  try {
    for (begin(); running.length > 0; begin()) {
      const ready = ordered ? 0 : running.findIndex((one) => one.isReady);
      if (ready < 0) {
        await changes.next();
        continue;
      }
      const value = await running[ready].next();
      if (value === undefined) running.splice(ready, 1);
      else yield value;
    }
  } finally {
    for (const one of running) one.close();
  }
}
