/**
 * A dictionary of the distinct values of a column chunk, compared by bits: 0.0 and -0.0 are two values, as are two
 * different NaNs.
 */

import { MAX_ENTRIES } from "../../../../src/kernels/parquet/dictionary.js";

const SLOTS = 2 ** 17;
const SHIFT = 32 - Math.log2(SLOTS);
const GOLDEN = 0x9e3779b1;
const OTHER = 0x85ebca6b;
/** Maximum number of probing steps per value of a page. Only values chosen to collide need more. */
const STEPS = 16;

/** An open-addressing hash table of values of one or two 32-bit words, reused for each chunk. */
export class Dictionary {
  /** The position of a slot's value in the dictionary, plus 1; 0 for a free slot. */
  readonly #places = new Uint16Array(SLOTS);
  readonly #slots = new Uint32Array(MAX_ENTRIES);
  readonly #low = new Int32Array(SLOTS);
  readonly #high = new Int32Array(SLOTS);
  readonly #values = new Int32Array(2 * MAX_ENTRIES);
  #wordsPerValue = 1;
  #limit = 0;
  #factor = GOLDEN;
  #other = OTHER;
  size = 0;

  /**
   * Resets the dictionary for a chunk of `values` values. A dictionary with more entries than half of them, or than
   * `MAX_ENTRIES`, would not save space.
   */
  reset(wordsPerValue: 1 | 2, values: number): void {
    for (let i = 0; i < this.size; i++) this.#places[this.#slots[i]] = 0;
    this.size = 0;
    this.#factor = GOLDEN;
    this.#other = OTHER;
    this.#wordsPerValue = wordsPerValue;
    this.#limit = Math.min(MAX_ENTRIES, values >> 1);
  }

  /**
   * Writes the index of every value of `words` to `indices`.
   * @returns false where the dictionary would grow too large.
   */
  index(words: Int32Array, indices: Uint16Array): boolean {
    return this.#wordsPerValue === 1 ? this.#index32(words, indices) : this.#index64(words, indices);
  }

  /** Returns the values in the order of their indices. */
  words(): Int32Array {
    return this.#values.slice(0, this.size * this.#wordsPerValue);
  }

  #index32(words: Int32Array, indices: Uint16Array): boolean {
    const places = this.#places;
    const low = this.#low;
    const count = words.length;
    let steps = STEPS * Math.max(count, SLOTS);
    for (let i = 0; i < count; i++) {
      const value = words[i];
      let slot = Math.imul(value, this.#factor) >>> SHIFT;
      let place = places[slot];
      while (place !== 0 && low[slot] !== value) {
        slot = (slot + 1) & (SLOTS - 1);
        place = places[slot];
        steps--;
      }
      if (steps < 0) {
        this.#scatter();
        steps = STEPS * SLOTS;
        i--;
        continue;
      }
      if (place === 0) {
        if (this.size === this.#limit) return false;
        low[slot] = value;
        this.#values[this.size] = value;
        place = this.#enter(slot);
      }
      indices[i] = place - 1;
    }
    return true;
  }

  #index64(words: Int32Array, indices: Uint16Array): boolean {
    const places = this.#places;
    const low = this.#low;
    const high = this.#high;
    const count = words.length >> 1;
    let steps = STEPS * Math.max(count, SLOTS);
    for (let i = 0; i < count; i++) {
      const lower = words[2 * i];
      const upper = words[2 * i + 1];
      let slot = this.#home(lower, upper);
      let place = places[slot];
      while (place !== 0 && (low[slot] !== lower || high[slot] !== upper)) {
        slot = (slot + 1) & (SLOTS - 1);
        place = places[slot];
        steps--;
      }
      if (steps < 0) {
        this.#scatter();
        steps = STEPS * SLOTS;
        i--;
        continue;
      }
      if (place === 0) {
        if (this.size === this.#limit) return false;
        low[slot] = lower;
        high[slot] = upper;
        this.#values[2 * this.size] = lower;
        this.#values[2 * this.size + 1] = upper;
        place = this.#enter(slot);
      }
      indices[i] = place - 1;
    }
    return true;
  }

  /** Returns the slot at which the search for a value of two words begins. */
  #home(lower: number, upper: number): number {
    return Math.imul(lower ^ Math.imul(upper, this.#other), this.#factor) >>> SHIFT;
  }

  /**
   * Replaces hash factors that cause too many collisions. The new factors are random, so attackers cannot predict them.
   */
  #scatter(): void {
    const places = this.#places;
    places.fill(0);
    this.#factor = randomOdd();
    this.#other = randomOdd();
    for (let i = 0; i < this.size; i++) {
      const wide = this.#wordsPerValue === 2;
      const lower = this.#values[wide ? 2 * i : i];
      const upper = wide ? this.#values[2 * i + 1] : 0;
      let slot = wide ? this.#home(lower, upper) : Math.imul(lower, this.#factor) >>> SHIFT;
      while (places[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      places[slot] = i + 1;
      this.#slots[i] = slot;
      this.#low[slot] = lower;
      this.#high[slot] = upper;
    }
  }

  #enter(slot: number): number {
    this.#slots[this.size] = slot;
    this.size++;
    this.#places[slot] = this.size;
    return this.size;
  }
}

function randomOdd(): number {
  return Math.floor(Math.random() * 2 ** 32) | 1;
}
