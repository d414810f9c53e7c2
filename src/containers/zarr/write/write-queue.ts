/**
 * Work on chunks: begun at once, several under way, ended one after another in the order in which it was added. So the
 * keys of a store come in the same order whichever chunk is encoded first.
 */
export class WriteQueue {
  readonly #window: () => number;
  readonly #steps: Promise<void>[] = [];
  #tail: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /** @param window How many pieces of work are under way at most, now. */
  constructor(window: () => number) {
    this.#window = window;
  }

  /**
   * Begins work as soon as there is room, and gives its result to `end` in turn.
   * @throws what work added before has failed with.
   */
  async add<T>(begin: () => Promise<T>, end: (result: T) => Promise<void> | void): Promise<void> {
    while (this.#steps.length >= Math.max(1, this.#window())) await this.#steps[0];
    this.#throwFailure();
    const result = begin();
    // It is awaited in its turn, perhaps after it has failed.
    result.catch(() => undefined);
    this.#tail = this.#tail.then(async () => {
      try {
        if (this.#failure === undefined) await end(await result);
      } catch (error) {
        this.#failure ??= { error };
      } finally {
        this.#steps.shift();
      }
    });
    this.#steps.push(this.#tail);
  }

  /** Waits until everything is done. */
  async drain(): Promise<void> {
    await this.#tail;
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
