import { InvalidDataError } from "../../model/errors.js";
import { CHUNK } from "./page.js";

/** Modulus of the word positions in `idx`. */
export const WRAP = 2 ** 32;

/**
 * The locations of a packed array's chunks. `idx` contains the position of each chunk's first word, and the position of
 * the end, modulo 2^32. `idx_offsets`, [0, …, length of `idx`], lists the entries of `idx` from which on another 2^32
 * must be added: entry j, with idx_offsets[i] <= j < idx_offsets[i + 1], represents idx[j] + i * 2^32.
 */
export class ChunkPositions {
  readonly chunks: number;
  /** The entries of `idx` to pass to `check`, in this order. If they are correct, every other entry can be trusted. */
  readonly entriesToCheck: readonly number[];
  readonly #borders: readonly number[];
  readonly #words: number;

  /**
   * @param offsets null for version 1, which has no offsets.
   * @param words the number of words of data.
   * @throws {InvalidDataError} if the offsets are not a valid list.
   */
  constructor(chunks: number, offsets: ArrayLike<number | bigint> | null, words: number) {
    this.chunks = chunks;
    this.#words = words;
    this.#borders = offsets === null ? [] : bordersOf(offsets, chunks + 1, words);
    const pairs = this.#borders.filter((border) => border > 0).flatMap((border) => [border - 1, border]);
    this.entriesToCheck = [...pairs, chunks];
  }

  /**
   * Checks that the positions on both sides of each border are consistent, and that the end equals the number of words.
   * @param idx the values of `entriesToCheck`.
   * @throws {InvalidDataError}
   */
  check(idx: ArrayLike<number>): void {
    const { entriesToCheck, chunks } = this;
    for (let i = 0; i + 1 < entriesToCheck.length; i += 2) {
      this.words(entriesToCheck[i], Uint32Array.of(idx[i], idx[i + 1]));
    }
    const end = this.#position(chunks, idx[entriesToCheck.length - 1]);
    if (end !== this.#words) {
      throw new InvalidDataError(`the last of ${chunks} chunks ends at word ${end}, there are ${this.#words}`);
    }
  }

  /**
   * Returns the range [from, to) of words that contain the chunks from `first` on.
   * @param idx the entries of these chunks and the next entry, so there is one more entry than there are chunks.
   * @throws {InvalidDataError} if the words are outside the data, or there are fewer or more words than these chunks
   * can have.
   */
  words(first: number, idx: Uint32Array): { readonly from: number; readonly to: number } {
    const chunks = idx.length - 1;
    const last = first + chunks;
    if (chunks < 0 || last > this.chunks) {
      throw new InvalidDataError(`chunks ${first} to ${last} of an array of ${this.chunks} chunks`);
    }
    const from = this.#position(first, idx[0]);
    const to = this.#position(last, idx[chunks]);
    if (to < from || to - from > chunks * CHUNK) {
      throw new InvalidDataError(`chunks ${first} to ${last} reach from word ${from} to word ${to}`);
    }
    if (to > this.#words) {
      throw new InvalidDataError(`chunk ${last - 1} ends at word ${to}, there are ${this.#words}`);
    }
    return { from, to };
  }

  #position(entry: number, stored: number): number {
    let wraps = 0;
    while (wraps < this.#borders.length && this.#borders[wraps] <= entry) wraps++;
    return stored + wraps * WRAP;
  }
}

/** Returns the entries of `idx` from which on another 2^32 must be added. */
function bordersOf(offsets: ArrayLike<number | bigint>, entries: number, words: number): number[] {
  const most = 2 + Math.floor(words / WRAP);
  if (offsets.length < 2 || offsets.length > most) {
    throw new InvalidDataError(`${offsets.length} idx_offsets, ${words} words have 2 to ${most}`);
  }
  const numbers = Array.from(offsets, Number);
  if (numbers[0] !== 0) throw new InvalidDataError(`idx_offsets begin with ${numbers[0]} instead of 0`);
  const end = numbers[numbers.length - 1];
  if (end !== entries) throw new InvalidDataError(`idx_offsets end with ${end}, idx has ${entries} entries`);
  for (let i = 1; i < numbers.length; i++) {
    if (!(numbers[i] >= numbers[i - 1]) || !Number.isInteger(numbers[i])) {
      throw new InvalidDataError(`idx_offsets go from ${numbers[i - 1]} to ${numbers[i]}`);
    }
  }
  const borders = numbers.slice(1, -1);
  const last = borders.at(-1);
  if (last !== undefined && last >= entries)
    throw new InvalidDataError(`idx_offsets have ${last} before the end, ${end}`);
  return borders;
}
