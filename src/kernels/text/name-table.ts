/**
 * A table of names, numbered in order of first appearance. Names are looked up by their bytes, so no string is created
 * for each line of a file.
 */

import { InvalidDataError } from "../../model/errors.js";
import type { VariableValues } from "../../model/stored.js";
import { checkTextBytes } from "../values/join-values.js";

/** Maximum number of names, since dictionary indices are Int32. */
const MAX_NAMES = 2 ** 31 - 1;

/**
 * Initial value and multiplier of the hash (FNV-1a). Callers may compute it while they search for the end of a name.
 */
export const HASH_START = 0x811c9dc5 | 0;
export const HASH_STEP = 0x01000193;

export class NameTable {
  #bytes = new Uint8Array(2 ** 12);
  #offsets = new Int32Array(2 ** 8);
  #hashes = new Int32Array(2 ** 8);
  #count = 0;
  /**
   * The slots of the hash table. A slot contains the number of a name plus one, or 0 if it is free. The number of slots
   * is a power of two, and at most half of the slots are used.
   */
  #slots = new Int32Array(2 ** 9);

  get count(): number {
    return this.#count;
  }

  /** Returns whether the bytes [from, to) are the name `index`. */
  is(index: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets[index];
    if (this.#offsets[index + 1] - start !== to - from) return false;
    const own = this.#bytes;
    for (let i = from, k = start; i < to; i++, k++) if (bytes[i] !== own[k]) return false;
    return true;
  }

  /** Returns the number of the name [from, to), or -1. */
  find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] - 1;
      if (index < 0 || (this.#hashes[index] === hash && this.is(index, bytes, from, to))) return index;
    }
  }

  /** Returns the index of the name [from, to). Adds the name if it is new. */
  numberOf(bytes: Uint8Array, from: number, to: number): number {
    const hash = computeNameHash(bytes, from, to);
    const found = this.find(bytes, from, to, hash);
    return found >= 0 ? found : this.add(bytes, from, to, hash);
  }

  /** Compares two names by bytes: in UTF-8 this is code point order, as in Python and HDF5. */
  compare(a: number, b: number): number {
    const bytes = this.#bytes;
    const [start, end] = [this.#offsets[a], this.#offsets[a + 1]];
    const other = this.#offsets[b];
    const length = this.#offsets[b + 1] - other;
    const shared = Math.min(end - start, length);
    for (let i = 0; i < shared; i++) {
      const difference = bytes[start + i] - bytes[other + i];
      if (difference !== 0) return difference;
    }
    return end - start - length;
  }

  /** Adds a name that is not yet in the table. Returns its number. */
  add(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const index = this.#count;
    if (index === MAX_NAMES) throw new InvalidDataError(`more than ${MAX_NAMES} names`);
    const start = this.#offsets[index];
    const end = start + to - from;
    checkTextBytes(end);
    while (end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * this.#bytes.length));
    if (index + 2 > this.#offsets.length) {
      this.#offsets = grown(this.#offsets, new Int32Array(2 * this.#offsets.length));
      this.#hashes = grown(this.#hashes, new Int32Array(2 * this.#hashes.length));
    }
    this.#bytes.set(bytes.subarray(from, to), start);
    this.#offsets[index + 1] = end;
    this.#hashes[index] = hash;
    this.#count++;
    if (2 * this.#count > this.#slots.length) this.#rebuild(2 * this.#slots.length);
    else this.#place(index);
    return index;
  }

  /** Returns all names, in separate memory. */
  values(): VariableValues {
    const offsets = this.#offsets.slice(0, this.#count + 1);
    return { kind: "variable", offsets, bytes: this.#bytes.slice(0, offsets[this.#count]) };
  }

  #rebuild(slots: number): void {
    this.#slots = new Int32Array(slots);
    for (let i = 0; i < this.#count; i++) this.#place(i);
  }

  #place(index: number): void {
    const mask = this.#slots.length - 1;
    let slot = spread(this.#hashes[index]) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = index + 1;
  }
}

export function computeNameHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_START;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], HASH_STEP);
  return hash;
}

/** Mixes high bits of the hash into its low bits, which depend little on the first bytes. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}

function grown<T extends Uint8Array | Int32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
