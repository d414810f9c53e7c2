/** Unsigned 32-bit integers of a stored array, read with what follows them: more is likely to be asked for. */

import { InvalidDataError } from "../../model/errors.js";
import { bytesOf } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";

/**
 * Words that are read at once: 64 KiB anywhere, up to 4 MiB where one range follows the other. Every read is a turn of the
 * event loop, and the garbage collector takes its turns there too.
 */
const LEAST = 2 ** 14;
const MOST = 2 ** 20;
const GROWTH = 4;

/** Room in front of words that were read ahead, for the end of those before them. */
const HEAD = 2 ** 16;

/** Memory that a window is given: what is held lies in one half while the other one is filled. */
export interface PrefetchMemory {
  /** Two of the same length, or none. */
  readonly halves: readonly Uint32Array[];
  /** Room in each for the end of the words before it. */
  readonly head: number;
}

/** Words on their way, while those before them are worked on. */
interface Prefetch {
  readonly start: number;
  readonly end: number;
  readonly memory: Uint32Array;
  /** False where they could not be read. */
  readonly done: Promise<boolean>;
}

const NONE = new Uint32Array(0);

/** One reader at a time: what is held, the next `load` overwrites. */
export class PrefetchedWords {
  readonly #array: StoredArray;
  readonly #length: number;
  readonly #head: number;
  readonly #most: number;
  readonly #readsInto: boolean;
  #size = LEAST;
  /** Words from here on are read only if they are asked for. */
  #limit: number;
  #isSequential = false;
  #start = 0;
  #words: Uint32Array = NONE;
  /** Where the words lie, with room in front; null for memory of their own size. */
  #memory: Uint32Array | null = null;
  #prefetch: Prefetch | null = null;
  /** Memory of which nothing is held. */
  #spare: readonly Uint32Array[];

  /** @param memory where what can be read into memory goes; else the window makes its own. */
  constructor(array: StoredArray, memory: PrefetchMemory = { halves: [], head: HEAD }) {
    this.#array = array;
    this.#length = array.shape?.[0] ?? 0;
    this.#head = memory.head;
    this.#most = memory.halves.length === 0 ? MOST : memory.halves[0].length - memory.head;
    this.#readsInto = array.readInto !== undefined && isWords(array);
    this.#spare = memory.halves;
    this.#limit = this.#length;
  }

  /** Tells that the words up to `end` will be asked for, one range after the other, and none behind them. */
  expect(end: number): void {
    this.#limit = Math.min(this.#length, end);
    this.#isSequential = true;
    this.#size = this.#most;
  }

  holds(start: number, end: number): boolean {
    return start >= this.#start && end <= this.#start + this.#words.length;
  }

  /** The words [start, end), which are held. */
  words(start: number, end: number): Uint32Array {
    return this.#words.subarray(start - this.#start, end - this.#start);
  }

  /**
   * Holds the words from `start` to `end` at least.
   * @throws {InvalidDataError} where the array holds anything else.
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

  /** Waits for what is being read: after that nothing is written to memory that was given. */
  async end(): Promise<void> {
    const prefetch = this.#prefetch;
    this.forget();
    await prefetch?.done;
  }

  /** Gives the memory back. */
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

  /** @returns whether the words were on their way; what failed there is read again, and says why. */
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

  /** Ends the use of what is held. */
  #release(): void {
    if (this.#memory !== null) this.#spare = [...this.#spare, this.#memory];
    this.#memory = null;
    this.#words = NONE;
  }
}

function isWords({ type }: StoredArray): boolean {
  return type.kind === "int" && type.bits === 32 && !type.signed;
}

/** Exactly the words [start, end). @throws {InvalidDataError} where the array holds anything else. */
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
