/** Random numbers that follow from a seed alone. */

export class Random {
  #state: number;

  /** @param parts whatever the numbers shall follow from. */
  constructor(...parts: readonly (number | string)[]) {
    let hash = 0x811c9dc5;
    for (const part of parts) {
      for (const unit of `${part}/`) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193);
    }
    this.#state = hash >>> 0;
    // Neighbouring seeds begin alike.
    for (let i = 0; i < 4; i++) this.#next();
  }

  /** An integer from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)];
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}
