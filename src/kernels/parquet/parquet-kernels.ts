/** The hot loops of the Parquet encoder over whole pages: what they take and give. */

import type { ValueRange, WordOrder } from "./statistics.js";

/** Most values of a page. */
export const MOST_PAGE_VALUES = 2 ** 17;

export type IntegerOrder = Exclude<WordOrder, "float32" | "float64">;

/** The body of a data page, and the range of its values; null where it has none. */
export interface EncodedPage {
  readonly body: Uint8Array;
  readonly range: ValueRange | null;
}

/**
 * Pages are given as 32-bit words, 64-bit values as two of them, the low one first; they have at most
 * `MOST_PAGE_VALUES` values. A body is a view of memory that the next call of any method overwrites, and must not be
 * transferred to another thread. An instance belongs to one encoder, which uses it for one chunk after another.
 */
export interface ParquetKernels {
  readonly dictionary: PageDictionary;

  /** A page of integers by DELTA_BINARY_PACKED. */
  delta(words: Int32Array, order: IntegerOrder): EncodedPage;

  /**
   * The major positions of the entries [from, to) of a compressed sparse matrix by DELTA_BINARY_PACKED: the bytes of
   * `delta` of the expanded column, as int32.
   * @param pointers never decreasing pointers of the major positions first, first + 1, …, with one more at the end;
   *   pointers[0] <= from, to <= the last one.
   * @param first with the positions that follow it below 2^31.
   */
  deltaRows(pointers: Float64Array | Int32Array, first: number, from: number, to: number): EncodedPage;

  /**
   * Numbers of `width` bits in the hybrid of run lengths and bit-packing: codes of a dictionary that stands already, or
   * levels. No byte for the width, and no length, stands in front.
   * @param width 0 … 16, or 0 … 32 where the numbers are 32 bits wide.
   */
  hybrid(indices: Uint16Array | Int32Array, width: number): Uint8Array;

  /** The range of a page that is stored PLAIN; null where there is none (no value, or nothing but NaN). */
  range(words: Int32Array, order: WordOrder): ValueRange | null;
}

/** The dictionary of one chunk at a time, by the bits of its values. */
export interface PageDictionary {
  /** Number of entries. */
  readonly size: number;

  /** Starts anew, for a chunk of `values` values: more entries than half of them, or than `MOST_ENTRIES`, do not pay. */
  reset(wordsPerValue: 1 | 2, values: number): void;

  /**
   * Enters the values of a page.
   * @returns false where the dictionary would grow too large; it must be reset then.
   */
  index(words: Int32Array): boolean;

  /**
   * The page that was entered last by RLE_DICTIONARY. Its first byte is the width of an index, as the dictionary is so
   * far: pages before the last entry are narrower.
   */
  page(): Uint8Array;

  /** A copy of the entries, in the order of their indices. */
  words(): Int32Array;
}
