/** Sorts the entries of each list by their new positions, for parts and unions that change the order of an axis. */

import type { SelectedEntries } from "./minor-map.js";
import { computeStableOrder, OrderScratch } from "./stable-order.js";

/** Minimum list length for sorting with a bit per position. Shorter lists are sorted by comparison. */
const FEW = 24;

/** Maximum number of bit words per entry. Lists with fewer entries are radix sorted by position. */
const WORDS_PER_ENTRY = 8;

/** Sorts the entries of each list by new position, in place. Entries with equal positions stay in order. */
export function sortLists({ places, minor }: SelectedEntries, offsets: Float64Array): void {
  let most = -1;
  for (let i = 0; i < minor.length; i++) if (minor[i] > most) most = minor[i];
  // A few entries at distant positions are not worth the memory.
  const marks = new Marks(most < minor.length * 32 ? most + 1 : 0);
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i] - offsets[i - 1]);
  const scratch = new OrderScratch(longest);
  const none = new Int32Array(longest);
  for (let i = 1; i < offsets.length; i++) {
    const [start, end] = [offsets[i - 1], offsets[i]];
    const count = end - start;
    const isDense = count > FEW && count * WORDS_PER_ENTRY > marks.words && marks.words > 0;
    if (isDense && marks.sort(places, minor, start, end)) continue;
    const order = computeStableOrder(none, minor.subarray(start, end), 0, count, scratch);
    if (order === null) continue;
    const [before, beforeMinor] = [places.slice(start, end), minor.slice(start, end)];
    for (let k = 0; k < order.length; k++) {
      places[start + k] = before[order[k]];
      minor[start + k] = beforeMinor[order[k]];
    }
  }
}

/** A bit per position, and the index of its entry. Reading the bits in order sorts a list. */
class Marks {
  readonly #bits: Int32Array;
  readonly #places: Int32Array;

  constructor(positions: number) {
    this.#bits = new Int32Array((positions + 31) >>> 5);
    this.#places = new Int32Array(positions);
  }

  get words(): number {
    return this.#bits.length;
  }

  /** Sorts the list [start, end). Returns false if a position has two entries, whose order must be preserved. */
  sort(places: Int32Array, minor: Int32Array, start: number, end: number): boolean {
    const [bits, own] = [this.#bits, this.#places];
    let [first, last, twice] = [bits.length, -1, 0];
    for (let i = start; i < end; i++) {
      const position = minor[i];
      const word = position >>> 5;
      const bit = 1 << (position & 31);
      twice |= bits[word] & bit;
      bits[word] |= bit;
      own[position] = places[i];
      if (word < first) first = word;
      if (word > last) last = word;
    }
    if (twice !== 0) {
      bits.fill(0, first, last + 1);
      return false;
    }
    let at = start;
    for (let word = first; word <= last; word++) {
      let left = bits[word];
      if (left === 0) continue;
      bits[word] = 0;
      while (left !== 0) {
        const position = (word << 5) + 31 - Math.clz32(left & -left);
        minor[at] = position;
        places[at++] = own[position];
        left &= left - 1;
      }
    }
    return true;
  }
}
