class Cleanups {
  #actions: (() => unknown)[] = [];

  add(action: () => unknown): void {
    this.#actions.push(action);
  }

  /** Ends what began last first. */
  async run(): Promise<void> {
    const actions = this.#actions.reverse();
    this.#actions = [];
    for (const action of actions) await action();
  }
}

/** What is closed or removed at the end of the running test, and of its file. */
export const cleanups = { test: new Cleanups(), file: new Cleanups() };
