/** Moves the entries of whole lists to new positions in one pass, for unions and parts that select most positions. */

import { once } from "../values/once.js";
import { instantiateSmallKernel } from "../wasm/instantiate.js";
import { WASM } from "../wasm/placed-lists.wasm.js";
import type { Repositioning, RepositionLists, RepositionMemory, WordLists } from "./word-lists.js";

/** Minimum average number of a list's entries per bit word that is read for the list. */
const ENTRIES_PER_WORD = 1 / 8;

/**
 * Moves each entry to its new position, or omits it, and sorts each list by the new positions. A bitmap marks the
 * positions that have an entry; reading its bits in order sorts a list.
 * @returns the lists; null if they have few entries, or if two entries in a list have the same position. In these
 * cases, the caller sorts the lists in another way.
 */
export function repositionLists(placing: Repositioning, lists: WordLists, memory: RepositionMemory): WordLists | null {
  const { pointers, minor, wordsPerValue } = lists;
  const words = (pointers.length - 1) * (placing.kept / 32);
  if (!placing.rises && minor.length < words * ENTRIES_PER_WORD) return null;
  const place = createWasmRepositionLists(placing, lists) ?? repositionInFallback;
  const ends = place(placing, lists, memory);
  return ends === null ? null : partOf(memory, ends, wordsPerValue);
}

/** Does the kernel's work in JavaScript, for lists that do not fit into the kernel. */
export const repositionInFallback: RepositionLists = ({ one, kept, rises }, lists, memory) => {
  if (rises) return keptInOrder(one, lists, memory);
  const { pointers, wordsPerValue } = lists;
  const work = new Work(kept, wordsPerValue);
  const ends = new Float64Array(pointers.length);
  let found = 0;
  for (let list = 1; list < pointers.length; list++) {
    const range = [pointers[list - 1] - pointers[0], pointers[list] - pointers[0]] as const;
    if (!work.collect(one, lists, range)) return null;
    found = work.read(memory, found);
    ends[list] = found;
  }
  return ends;
};

function keptInOrder(one: Int32Array, { pointers, minor, words, wordsPerValue }: WordLists, out: RepositionMemory) {
  const ends = new Float64Array(pointers.length);
  let found = 0;
  for (let list = 1; list < pointers.length; list++) {
    const end = pointers[list] - pointers[0];
    // Branch-free: an omitted entry is overwritten by the next entry.
    for (let i = pointers[list - 1] - pointers[0]; i < end; i++) {
      const position = one[minor[i]];
      out.minor[found] = position;
      if (wordsPerValue === 1) out.words[found] = words[i];
      else {
        out.words[2 * found] = words[2 * i];
        out.words[2 * found + 1] = words[2 * i + 1];
      }
      found += position >= 0 ? 1 : 0;
    }
    ends[list] = found;
  }
  return ends;
}

function partOf({ minor, words }: RepositionMemory, pointers: Float64Array, wordsPerValue: 1 | 2): WordLists {
  const found = pointers[pointers.length - 1];
  return {
    pointers,
    minor: minor.subarray(0, found),
    words: words.subarray(0, found * wordsPerValue),
    wordsPerValue,
  };
}

/** The entries of one list: a bit per new position, and the value of its entry. */
class Work {
  readonly bits: Int32Array;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  readonly #isPair: boolean;
  /** The range of bit words that may differ from 0. */
  #from = 0;
  #to = 0;

  constructor(positions: number, wordsPerValue: 1 | 2) {
    this.bits = new Int32Array((positions + 31) >>> 5);
    this.#first = new Int32Array(positions);
    this.#isPair = wordsPerValue === 2;
    this.#second = new Int32Array(this.#isPair ? positions : 0);
  }

  /** Adds the entries of a list. Returns false if a position has two entries. */
  collect(one: Int32Array, { minor, words }: WordLists, [start, end]: readonly [number, number]): boolean {
    const { bits } = this;
    const [first, second, isPair] = [this.#first, this.#second, this.#isPair];
    let [from, to, twice] = [bits.length, 0, 0];
    for (let i = start; i < end; i++) {
      const position = one[minor[i]];
      if (position < 0) continue;
      const word = position >>> 5;
      const bit = 1 << (position & 31);
      twice |= bits[word] & bit;
      bits[word] |= bit;
      if (isPair) {
        first[position] = words[2 * i];
        second[position] = words[2 * i + 1];
      } else first[position] = words[i];
      if (word < from) from = word;
      if (word >= to) to = word + 1;
    }
    [this.#from, this.#to] = [from, to];
    return twice === 0;
  }

  /**
   * Writes the list in order of position, starting at entry `at`, and empties it.
   * @returns the end of the written list.
   */
  read(out: RepositionMemory, at: number): number {
    const { bits } = this;
    const [first, second, isPair] = [this.#first, this.#second, this.#isPair];
    const { minor, words } = out;
    let found = at;
    for (let word = this.#from; word < this.#to; word++) {
      let left = bits[word];
      bits[word] = 0;
      while (left !== 0) {
        const position = (word << 5) + 31 - Math.clz32(left & -left);
        minor[found] = position;
        if (isPair) {
          words[2 * found] = first[position];
          words[2 * found + 1] = second[position];
        } else words[found] = first[position];
        found++;
        left &= left - 1;
      }
    }
    return found;
  }
}

/** Number of entries that the module processes at a time, and its maximum number of positions. */
const [PART, POSITIONS] = [2 ** 16, 2 ** 17];

/** Minimum number of entries per stored position, because the new positions are copied for every call. */
const ENTRIES_PER_POSITION = 1 / 4;

/** Returns the kernel for these lists; null if they do not fit into the kernel, or the kernel would not be faster. */
export function createWasmRepositionLists(
  { one, kept }: Repositioning,
  { pointers, minor }: WordLists,
): RepositionLists | null {
  if (Math.max(one.length, kept) > POSITIONS || minor.length < one.length * ENTRIES_PER_POSITION) return null;
  for (let list = 1; list < pointers.length; list++) if (pointers[list] - pointers[list - 1] > PART) return null;
  return started();
}

const FUNCTIONS = ["places", "minor", "values", "newMinor", "newValues", "keep4", "keep8", "sort4", "sort8"] as const;

const started = once(start);

function start(): RepositionLists {
  const { memory, functions } = instantiateSmallKernel(WASM, FUNCTIONS);
  const integers = (start: number, length: number) => new Int32Array(memory.buffer, start, length);
  const places = integers(functions.places(), POSITIONS);
  const [minor, newMinor] = [integers(functions.minor(), PART), integers(functions.newMinor(), PART)];
  const [values, newValues] = [integers(functions.values(), 2 * PART), integers(functions.newValues(), 2 * PART)];
  return ({ one, kept, rises }, lists, out) => {
    const { pointers, wordsPerValue: per } = lists;
    const keep = per === 1 ? functions.keep4 : functions.keep8;
    const sort = per === 1 ? functions.sort4 : functions.sort8;
    places.set(one);
    const ends = new Float64Array(pointers.length);
    const [origin] = pointers;
    let found = 0;
    for (let list = 0; list < pointers.length - 1; ) {
      const start = pointers[list] - origin;
      let last = list + 1;
      while (last + 1 < pointers.length && pointers[last + 1] - origin - start <= PART) last++;
      const end = pointers[last] - origin;
      minor.set(lists.minor.subarray(start, end));
      values.set(lists.words.subarray(per * start, per * end));
      let to = 0;
      for (; list < last; list++) {
        const range = [pointers[list] - origin - start, pointers[list + 1] - origin - start] as const;
        to = rises ? keep(...range, to) : sort(...range, to, kept);
        if (to < 0) return null;
        ends[list + 1] = found + to;
      }
      out.minor.set(newMinor.subarray(0, to), found);
      out.words.set(newValues.subarray(0, per * to), per * found);
      found += to;
    }
    return ends;
  };
}
