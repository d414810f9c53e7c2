/** A dictionary of a column chunk's distinct strings, which are compared byte by byte. */

import { isBitSet } from "../values/bitmap.js";
import { MAX_ENTRIES } from "./dictionary.js";
import type { Texts } from "./text-range.js";

/** Maximum size of a dictionary in bytes. Readers hold the dictionary of every column in memory. */
const MAX_BYTES = 2 ** 21;
const SLOTS = 2 ** 17;
const SHIFT = 32 - Math.log2(SLOTS);
const GOLDEN = 0x9e3779b1;
const OTHER = 0x85ebca6b;
/** Maximum number of probing steps per value of a chunk. Only strings chosen to collide need more. */
const STEPS = 8;

/** An open-addressing hash table of strings, reused for each chunk. */
export class TextDictionary {
  /** Index of a slot's string in the dictionary, plus 1; 0 for a free slot. */
  readonly #places = new Int32Array(SLOTS);
  readonly #hashes = new Int32Array(SLOTS);
  readonly #slots = new Int32Array(MAX_ENTRIES);
  readonly #offsets = new Int32Array(MAX_ENTRIES + 1);
  #bytes = new Uint8Array(2 ** 12);
  #view = new DataView(this.#bytes.buffer);
  #limit = 0;
  #steps = 0;
  size = 0;

  /**
   * Resets the dictionary for a chunk of `values` values. A dictionary with more entries than half the number of
   * values, or with more than `MAX_ENTRIES`, would not save space.
   */
  reset(values: number): void {
    for (let i = 0; i < this.size; i++) this.#places[this.#slots[i]] = 0;
    this.size = 0;
    this.#limit = Math.min(MAX_ENTRIES, values >> 1);
    this.#steps = STEPS * values;
  }

  /**
   * Writes the index of every text in [from, to) that is not missing to `indices`, from `at` on.
   * @returns the position after the last index; -1 if the dictionary would grow too large or take too long.
   */
  index(texts: Texts, from: number, to: number, indices: Uint16Array, at: number): number {
    const { offsets, bytes, validity } = texts;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const places = this.#places;
    const hashes = this.#hashes;
    let out = at;
    let steps = this.#steps;
    // Consecutive texts are often equal, so each text is first compared with the previous one.
    let last = 0;
    for (let i = from; i < to; i++) {
      if (validity !== null && !isBitSet(validity, i)) continue;
      const start = offsets[i];
      const end = offsets[i + 1];
      if (last === 0 || !this.#holds(last - 1, view, start, end)) {
        const hash = hashOf(view, start, end);
        let slot = Math.imul(hash, GOLDEN) >>> SHIFT;
        last = places[slot];
        while (last !== 0 && (hashes[slot] !== hash || !this.#holds(last - 1, view, start, end))) {
          slot = (slot + 1) & (SLOTS - 1);
          last = places[slot];
          steps--;
        }
        // Other hash factors would not help, because some texts collide under all of them.
        if (steps < 0) return -1;
        if (last === 0) {
          if (!this.#enter(bytes, start, end)) return -1;
          last = this.size;
          this.#slots[last - 1] = slot;
          places[slot] = last;
          hashes[slot] = hash;
        }
      }
      indices[out++] = last - 1;
    }
    this.#steps = steps;
    return out;
  }

  /** Returns the strings in index order, as views that the next chunk overwrites. */
  texts(): Texts {
    return { offsets: this.#offsets.subarray(0, this.size + 1), bytes: this.#bytes, validity: null };
  }

  #holds(entry: number, view: DataView, start: number, end: number): boolean {
    const first = this.#offsets[entry];
    const length = end - start;
    if (this.#offsets[entry + 1] - first !== length) return false;
    const own = this.#view;
    let i = 0;
    for (; i + 4 <= length; i += 4) if (own.getInt32(first + i) !== view.getInt32(start + i)) return false;
    for (; i < length; i++) if (own.getUint8(first + i) !== view.getUint8(start + i)) return false;
    return true;
  }

  #enter(bytes: Uint8Array, start: number, end: number): boolean {
    const first = this.#offsets[this.size];
    const last = first + end - start;
    if (this.size === this.#limit || last > MAX_BYTES) return false;
    if (last > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(last, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, first));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    for (let i = start, k = first; i < end; i++, k++) this.#bytes[k] = bytes[i];
    this.size++;
    this.#offsets[this.size] = last;
    return true;
  }
}

/** Hashes four bytes at a time, then the rest. The length is included so that trailing zeros matter. */
function hashOf(view: DataView, start: number, end: number): number {
  let hash = end - start;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    hash = Math.imul(hash ^ view.getInt32(i), OTHER);
    hash ^= hash >>> 15;
  }
  for (; i < end; i++) hash = Math.imul(hash ^ view.getUint8(i), OTHER);
  return hash ^ (hash >>> 13);
}
