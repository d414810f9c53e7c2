/** Shares a read between all callers. The read is cancelled when the last caller has cancelled. */

interface Read {
  readonly promise: Promise<unknown>;
  readonly controller: AbortController;
  waiting: number;
}

export class SharedReads {
  readonly #reads = new Map<string, Read>();

  /** Returns the value of a key, which must always have the same type. Failed and cancelled reads are not cached. */
  async get<T>(
    key: readonly string[],
    signal: AbortSignal | undefined,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const text = JSON.stringify(key);
    const known = this.#reads.get(text) ?? this.#begin(text, read);
    known.waiting += 1;
    let giveUp: (() => void) | undefined;
    try {
      const given = new Promise<never>((_, reject) => {
        giveUp = () => reject(signal?.reason);
        signal?.addEventListener("abort", giveUp, { once: true });
      });
      return (await Promise.race([known.promise, given])) as T;
    } finally {
      if (giveUp !== undefined) signal?.removeEventListener("abort", giveUp);
      known.waiting -= 1;
      if (signal?.aborted && known.waiting === 0 && this.#reads.get(text) === known) {
        this.#reads.delete(text);
        known.controller.abort();
      }
    }
  }

  #begin<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Read {
    const controller = new AbortController();
    const begun: Read = { promise: read(controller.signal), controller, waiting: 0 };
    this.#reads.set(key, begun);
    begun.promise.catch(() => this.#reads.get(key) === begun && this.#reads.delete(key));
    return begun;
  }
}
