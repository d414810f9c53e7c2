/** Limits concurrent calls by their number or by the number of bytes that they use. Further calls wait in order. */
export class Slots {
  readonly #all: number;
  #free: number;
  readonly #waiting: { readonly size: number; readonly start: () => void }[] = [];

  constructor(count: number) {
    this.#all = count;
    this.#free = count;
  }

  /** @param size number of slots that the call needs. A call that needs more slots than exist runs alone. */
  async run<T>(action: () => Promise<T>, size = 1): Promise<T> {
    await this.take(size);
    try {
      return await action();
    } finally {
      this.give(size);
    }
  }

  async take(size = 1): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(size)) this.#free -= size;
    else await new Promise<void>((start) => this.#waiting.push({ size, start }));
  }

  give(size = 1): void {
    this.#free += size;
    for (let [next] = this.#waiting; next !== undefined && this.#fits(next.size); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= next.size;
      next.start();
    }
  }

  #fits(size: number): boolean {
    return size <= this.#free || this.#free === this.#all;
  }
}
