/** Unsigned 32-bit integers of a stored array, read with what follows them: more is likely to be asked for. */

import { InvalidDataError } from "../errors.js";
import type { ReadOptions } from "../sources/source.js";
import { bytesOf } from "../stored.js";
import type { StoredArray } from "./container.js";

/**
 * Words that are read at once: 64 KiB anywhere, up to 4 MiB where one range follows the other. Every read is a turn of the
 * event loop, and the garbage collector takes its turns there too.
 */
const LEAST = 2 ** 14;
const MOST = 2 ** 20;
const GROWTH = 4;

/** Room in front of words that were read ahead, for the end of those before them. */
const HEAD = 2 ** 16;

/** Words on their way, while those before them are worked on; null where they could not be read. */
interface Ahead {
  readonly start: number;
  readonly end: number;
  readonly memory: Promise<Uint32Array | null>;
}

/** One reader at a time: what is held, the next `load` overwrites. */
export class WordWindow {
  readonly #array: StoredArray;
  readonly #length: number;
  #size = LEAST;
  #start = 0;
  #words: Uint32Array = new Uint32Array(0);
  #ahead: Ahead | null = null;
  /** Memory that was held before. */
  #spare: Uint32Array | null = null;

  constructor(array: StoredArray) {
    this.#array = array;
    this.#length = array.shape?.[0] ?? 0;
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
    if (!(await this.#takeAhead(start, end))) {
      const behind = this.#start + this.#words.length;
      const follows = this.#words.length > 0 && start >= this.#start && start <= behind + this.#size;
      this.#size = follows ? Math.min(MOST, this.#size * GROWTH) : LEAST;
      const stop = Math.min(this.#length, Math.max(end, start + this.#size));
      this.#words = new Uint32Array(0);
      this.#words = await this.#read(start, stop, options);
      this.#start = start;
    }
    if (this.#size === MOST) this.#startAhead(options);
  }

  /** Gives the memory back. */
  forget(): void {
    this.#words = new Uint32Array(0);
    this.#ahead = null;
    this.#spare = null;
    this.#size = LEAST;
  }

  async #read(start: number, end: number, options: ReadOptions): Promise<Uint32Array> {
    const array = this.#array;
    if (array.readInto === undefined || !isWords(array)) return readWords(array, start, end, options);
    const words = new Uint32Array(end - start);
    await array.readInto(start, end, bytesOf(words), options);
    return words;
  }

  #startAhead(options: ReadOptions): void {
    const start = this.#start + this.#words.length;
    const end = Math.min(this.#length, start + MOST);
    if (start === end || this.#array.readInto === undefined || !isWords(this.#array)) return;
    const memory = this.#spare ?? new Uint32Array(HEAD + MOST);
    this.#spare = null;
    const read = this.#array.readInto(start, end, bytesOf(memory.subarray(HEAD, HEAD + end - start)), options);
    this.#ahead = {
      start,
      end,
      memory: read.then(
        () => memory,
        () => null,
      ),
    };
  }

  /** @returns whether the words were on their way; what failed there is read again, and says why. */
  async #takeAhead(start: number, end: number): Promise<boolean> {
    const ahead = this.#ahead;
    this.#ahead = null;
    const held = this.#words;
    if (ahead === null || start < this.#start || end > ahead.end || start > ahead.end) return false;
    const rest = ahead.start - Math.min(start, ahead.start);
    const memory = rest > HEAD ? null : await ahead.memory;
    if (memory === null) return false;
    memory.set(held.subarray(held.length - rest), HEAD - rest);
    this.#words = memory.subarray(HEAD - rest, HEAD + ahead.end - ahead.start);
    this.#start = ahead.start - rest;
    // What was read the first times has no room in front.
    if (held.buffer.byteLength === memory.byteLength) this.#spare = new Uint32Array(held.buffer);
    return true;
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
