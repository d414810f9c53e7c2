/**
 * A window of unsigned 32-bit integers of a stored array. It reads ahead, because the following words are likely to be
 * requested.
 */

import { InvalidDataError } from "../../model/errors.js";
import { bytesOf } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";

/**
 * The number of words that are read at once: 64 KiB anywhere, up to 4 MiB where ranges follow each other. Every read is
 * a turn of the event loop, in which the garbage collector also takes its turns.
 */
const LEAST = 2 ** 14;
const MOST = 2 ** 20;
const GROWTH = 4;

/** Room in front of words that were read ahead, for the last words of the previous read. */
const HEAD = 2 ** 16;

/** Memory for a window: one half holds words while the other one is filled. */
export interface PrefetchMemory {
  /** Two halves of equal length, or none. */
  readonly halves: readonly Uint32Array[];
  /** Room in each half for the last words of the previous read. */
  readonly head: number;
}

/** Words that are being read, while the previous ones are in use. */
interface Prefetch {
  readonly start: number;
  readonly end: number;
  readonly memory: Uint32Array;
  /** Resolves to false where the words could not be read. */
  readonly done: Promise<boolean>;
}

const NONE = new Uint32Array(0);

/** A window for one reader at a time. `load` overwrites the words of the previous call. */
export class PrefetchedWords {
  readonly #array: StoredArray;
  readonly #length: number;
  readonly #head: number;
  readonly #most: number;
  readonly #readsInto: boolean;
  #size = LEAST;
  /** The position from which on words are only read on request, not ahead. */
  #limit: number;
  #isSequential = false;
  #start = 0;
  #words: Uint32Array = NONE;
  /** The memory of the words, with room in front; null where they have memory of their exact size. */
  #memory: Uint32Array | null = null;
  #prefetch: Prefetch | null = null;
  /** Memory without words in use. */
  #spare: readonly Uint32Array[];

  /** @param memory the memory to read into where the array can; without it the window makes its own. */
  constructor(array: StoredArray, memory: PrefetchMemory = { halves: [], head: HEAD }) {
    this.#array = array;
    this.#length = array.shape?.[0] ?? 0;
    this.#head = memory.head;
    this.#most = memory.halves.length === 0 ? MOST : memory.halves[0].length - memory.head;
    this.#readsInto = array.readInto !== undefined && isWords(array);
    this.#spare = memory.halves;
    this.#limit = this.#length;
  }

  /** Announces that the words up to `end` will be requested, range by range, and none behind them. */
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
   * Reads at least the words from `start` to `end` into the window.
   * @throws {InvalidDataError} where the array holds other types of values.
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

  /** Waits for reads under way. Afterwards nothing is written to memory that the caller gave. */
  async end(): Promise<void> {
    const prefetch = this.#prefetch;
    this.forget();
    await prefetch?.done;
  }

  /** Drops the words and their memory. */
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
      await array.readInto?.(start, end, bytesOf(words), options);
      this.#spare = this.#spare.slice(1);
      this.#memory = memory;
      this.#words = words;
    } else {
      const words = new Uint32Array(end - start);
      await array.readInto?.(start, end, bytesOf(words), options);
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
    const read = this.#array.readInto?.(start, end, bytesOf(memory.subarray(head, head + end - start)), options);
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

  /** Ends the use of the words in the window. */
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
 * @throws {InvalidDataError} where the array holds other types of values.
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
