/**
 * A window of unsigned 32-bit integers from a stored array. It reads ahead, because the words that follow are likely to
 * be requested next.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError } from "../../model/errors.js";
import { viewAsBytes } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";

/**
 * Minimum number of words per read: 64 KiB at random positions, up to 4 MiB for consecutive ranges. Every read takes a
 * turn of the event loop, in which the garbage collector may also run.
 */
const LEAST = 2 ** 14;
const MOST = 2 ** 20;
const GROWTH = 4;

/** Room before prefetched words for the last words from the previous read. */
const HEAD = 2 ** 16;

/** Memory for a window. While one half contains words in use, the other half is filled. */
export interface PrefetchMemory {
  /** Two halves of equal length, or an empty list. */
  readonly halves: readonly Uint32Array[];
  /** Room in each half for the last words from the previous read. */
  readonly head: number;
}

/** Words that are being read while the previous words are in use. */
interface Prefetch {
  readonly start: number;
  readonly end: number;
  readonly memory: Uint32Array;
  /** Resolves to false if the words could not be read. */
  readonly done: Promise<boolean>;
}

const NONE = new Uint32Array(0);

/** A window of prefetched words for one reader. `load` overwrites the words of the previous call. */
export class PrefetchedWords {
  readonly #array: StoredArray;
  readonly #length: number;
  readonly #head: number;
  readonly #most: number;
  readonly #readsInto: boolean;
  #size = LEAST;
  /** Words from this position onwards are read only on request, not ahead. */
  #limit: number;
  #isSequential = false;
  #start = 0;
  #words: Uint32Array = NONE;
  /** The memory of the words, with room before them; null if the words are in memory of exactly their size. */
  #memory: Uint32Array | null = null;
  #prefetch: Prefetch | null = null;
  /** Memory available for reuse. */
  #spare: readonly Uint32Array[];

  /** @param memory the memory to read into, if the array supports this; by default the window allocates memory. */
  constructor(array: StoredArray, memory: PrefetchMemory = { halves: [], head: HEAD }) {
    this.#array = array;
    this.#length = array.shape?.[0] ?? 0;
    this.#head = memory.head;
    this.#most = memory.halves.length === 0 ? MOST : memory.halves[0].length - memory.head;
    this.#readsInto = array.readInto !== undefined && isWords(array);
    this.#spare = memory.halves;
    this.#limit = this.#length;
  }

  /** Announces that the words up to `end`, and no words after them, will be requested range by range. */
  expect(end: number): void {
    this.#limit = Math.min(this.#length, end);
    this.#isSequential = true;
    this.#size = this.#most;
  }

  holds(start: number, end: number): boolean {
    return start >= this.#start && end <= this.#start + this.#words.length;
  }

  /** Returns the words [start, end), which must be in the window. */
  words(start: number, end: number): Uint32Array {
    return this.#words.subarray(start - this.#start, end - this.#start);
  }

  /**
   * Reads at least the words [start, end) into the window.
   * @throws {InvalidDataError} if the array holds other types of values.
   */
  async load(start: number, end: number, options: ReadOptions): Promise<void> {
    if (end > this.#length) throw new InvalidDataError(`words ${start} to ${end} of ${this.#length}`);
    if (!(await this.#takePrefetched(start, end))) {
      const behind = this.#start + this.#words.length;
      const follows = this.#words.length > 0 && start >= this.#start && start <= behind + this.#size;
      if (!this.#isSequential) this.#size = Math.min(this.#most, follows ? this.#size * GROWTH : LEAST);
      await this.#read(start, Math.max(end, Math.min(this.#limit, start + this.#size)), options);
    }
    if (this.#size === this.#most) this.#startPrefetch(options);
  }

  /** Waits for pending reads. Nothing is written to the caller's memory afterwards. */
  async end(): Promise<void> {
    const prefetch = this.#prefetch;
    this.forget();
    await prefetch?.done;
  }

  /** Releases the words and their memory. */
  forget(): void {
    this.#words = NONE;
    this.#memory = null;
    this.#prefetch = null;
    this.#spare = [];
    this.#size = LEAST;
    this.#limit = this.#length;
    this.#isSequential = false;
  }

  async #read(start: number, end: number, options: ReadOptions): Promise<void> {
    const head = this.#head;
    const array = this.#array;
    this.#release();
    const [memory] = this.#spare;
    if (!this.#readsInto) {
      this.#words = await readWords(array, start, end, options);
    } else if (memory !== undefined && memory.length >= head + end - start) {
      const words = memory.subarray(head, head + end - start);
      await array.readInto?.(start, end, viewAsBytes(words), options);
      this.#spare = this.#spare.slice(1);
      this.#memory = memory;
      this.#words = words;
    } else {
      const words = new Uint32Array(end - start);
      await array.readInto?.(start, end, viewAsBytes(words), options);
      this.#words = words;
    }
    this.#start = start;
  }

  #startPrefetch(options: ReadOptions): void {
    const head = this.#head;
    const start = this.#start + this.#words.length;
    const end = Math.min(this.#limit, start + this.#most);
    if (start >= end || !this.#readsInto) return;
    const [memory = new Uint32Array(head + this.#most), ...rest] = this.#spare;
    this.#spare = rest;
    const read = this.#array.readInto?.(start, end, viewAsBytes(memory.subarray(head, head + end - start)), options);
    const done = Promise.resolve(read).then(
      () => true,
      () => false,
    );
    this.#prefetch = { start, end, memory, done };
  }

  /**
   * @returns whether the words had been read ahead. After a failed read this is false, and the next read reports the
   * error.
   */
  async #takePrefetched(start: number, end: number): Promise<boolean> {
    const prefetch = this.#prefetch;
    if (prefetch === null) return false;
    this.#prefetch = null;
    const head = this.#head;
    const held = this.#words;
    const { memory } = prefetch;
    const rest = prefetch.start - Math.min(start, prefetch.start);
    const follows = start >= this.#start && end <= prefetch.end && start <= prefetch.end && rest <= head;
    if (!(await prefetch.done) || !follows) {
      this.#spare = [...this.#spare, memory];
      return false;
    }
    memory.set(held.subarray(held.length - rest), head - rest);
    this.#release();
    this.#memory = memory;
    this.#words = memory.subarray(head - rest, head + prefetch.end - prefetch.start);
    this.#start = prefetch.start - rest;
    return true;
  }

  /** Makes the memory of the current words available for reuse. */
  #release(): void {
    if (this.#memory !== null) this.#spare = [...this.#spare, this.#memory];
    this.#memory = null;
    this.#words = NONE;
  }
}

function isWords({ type }: StoredArray): boolean {
  return type.kind === "int" && type.bits === 32 && !type.signed;
}

/**
 * Reads exactly the words [start, end).
 * @throws {InvalidDataError} if the array holds other types of values.
 */
export async function readWords(
  array: StoredArray,
  start: number,
  end: number,
  options: ReadOptions,
): Promise<Uint32Array> {
  const read = await array.read(start, end, options);
  if (read.kind !== "fixed" || !(read.values instanceof Uint32Array) || read.values.length !== end - start) {
    throw new InvalidDataError(`not ${end - start} unsigned 32-bit integers`, { element: array.path });
  }
  return read.values;
}
