/** Lets actions run one after the other, in the order in which they came, so that a file does not depend on timing. */
export class ActionQueue {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
