/** Unsigned 32-bit integers of a stored array; of small ranges also what lies around them, since more are likely to follow. */

import { InvalidDataError } from "../errors.js";
import type { ReadOptions } from "../sources/source.js";
import type { StoredArray } from "./container.js";

/** Words that are read and kept together: 64 KiB. */
const WINDOW = 2 ** 14;

export class WordWindow {
  readonly #array: StoredArray;
  readonly #length: number;
  #held: { readonly start: number; readonly words: Uint32Array } | null = null;

  constructor(array: StoredArray) {
    this.#array = array;
    this.#length = array.shape?.[0] ?? 0;
  }

  /**
   * The words [start, end), which nobody may change.
   * @throws {InvalidDataError} where the array holds anything else.
   */
  async read(start: number, end: number, options: ReadOptions): Promise<Uint32Array> {
    const held = this.#held;
    if (held !== null && start >= held.start && end <= held.start + held.words.length) {
      return held.words.subarray(start - held.start, end - held.start);
    }
    if (start === end || end - start > WINDOW / 2) return readWords(this.#array, start, end, options);
    const stop = Math.min(this.#length, start + WINDOW);
    if (end > stop) throw new InvalidDataError(`words ${start} to ${end} of ${this.#length}`);
    const words = await readWords(this.#array, start, stop, options);
    this.#held = { start, words };
    return words.subarray(0, end - start);
  }
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
