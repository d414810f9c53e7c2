/** Names, numbered as they first appear: looked up by their bytes, so that no string is made for each line of a file. */

import { InvalidDataError } from "../../model/errors.js";
import type { VariableValues } from "../../model/stored.js";
import { checkTextBytes } from "../values/join-values.js";

/** Dictionary indices are Int32. */
const MAX_NAMES = 2 ** 31 - 1;

/** Begins and steps of the hash (FNV-1a), which callers may compute while they look for the end of a name. */
export const HASH_START = 0x811c9dc5 | 0;
export const HASH_STEP = 0x01000193;

export class NameTable {
  #bytes = new Uint8Array(2 ** 12);
  #offsets = new Int32Array(2 ** 8);
  #hashes = new Int32Array(2 ** 8);
  #count = 0;
  /** Numbers of names, one more each; 0 is free. A power of two, never more than half full. */
  #slots = new Int32Array(2 ** 9);

  get count(): number {
    return this.#count;
  }

  /** Whether the name `index` is the bytes [from, to). */
  is(index: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets[index];
    if (this.#offsets[index + 1] - start !== to - from) return false;
    const own = this.#bytes;
    for (let i = from, k = start; i < to; i++, k++) if (bytes[i] !== own[k]) return false;
    return true;
  }

  /** The number of the name [from, to), or -1. */
  find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] - 1;
      if (index < 0 || (this.#hashes[index] === hash && this.is(index, bytes, from, to))) return index;
    }
  }

  /** Adds a name that is not there yet, and gives its number. */
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

  /** All names, in memory of their own. */
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

/** The hash of the bytes [from, to). */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_START;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], HASH_STEP);
  return hash;
}

/** The low bits of the hash know little of the first bytes. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}

function grown<T extends Uint8Array | Int32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
