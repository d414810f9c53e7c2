/** Several streams read at the same time, each a bounded way ahead of whoever takes their values. */

/** Wakes all who wait whenever something has changed, for any of several streams. */
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

/** One stream, and how much of it may wait. */
class Ahead<T> {
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

  /** The next value that is there; undefined at the end. */
  async next(): Promise<T | undefined> {
    while (!this.isReady) await this.#changes.next();
    const value = this.#waiting.shift();
    if (value !== undefined) {
      this.#bytes -= this.#sizeOf(value);
      this.#changes.tell();
    } else if (this.#failure !== null) throw this.#failure.error;
    return value;
  }

  /** Ends the stream; whoever made it must have ended what it waits for. */
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

export interface SideBySide<T> {
  readonly sizeOf: (value: T) => number;
  /** Streams at the same time. */
  readonly atOnce: number;
  /** Bytes of values that wait, of all streams together; each may have one more. */
  readonly bytes: number;
  /** Whether the values come in the order of the streams; else as they arrive. */
  readonly ordered: boolean;
}

/** The values of all of `streams`, which are begun as others end. Leaving early ends them. */
export async function* sideBySide<T>(
  streams: readonly (() => AsyncGenerator<T>)[],
  { sizeOf, atOnce, bytes, ordered }: SideBySide<T>,
): AsyncGenerator<T> {
  const changes = new Changes();
  const running: Ahead<T>[] = [];
  let begun = 0;
  const begin = () => {
    while (begun < streams.length && running.length < atOnce) {
      running.push(new Ahead(streams[begun++](), sizeOf, bytes / atOnce, changes));
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
