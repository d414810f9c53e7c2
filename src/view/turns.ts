/** Turns of statements: each begins when the one before is over. */

export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with the function that ends the turn. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => undefined;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }

  /** Resolves when all turns that were taken are over. */
  over(): Promise<void> {
    return this.#last;
  }
}
