/** A queue of turns. Each turn begins when the previous one has ended. */

export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits for the caller's turn. Resolves to a function that ends the turn. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => undefined;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }

  /** Resolves when all current turns have ended. */
  over(): Promise<void> {
    return this.#last;
  }
}
