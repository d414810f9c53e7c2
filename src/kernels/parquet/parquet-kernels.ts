/** The interface of the Parquet encoder's hot loops over whole pages. */

import type { ValueRange, WordOrder } from "./statistics.js";

/** Maximum number of values in a page. */
export const MAX_PAGE_VALUES = 2 ** 17;

export type IntegerOrder = Exclude<WordOrder, "float32" | "float64">;

/** The body of a data page, and the range of its values; null if the page has no range. */
export interface EncodedPage {
  readonly body: Uint8Array;
  readonly range: ValueRange | null;
}

/**
 * The kernels of one encoder, which uses them for one chunk after another. Pages are passed as 32-bit words; a 64-bit
 * value is two words, with the low word first. A page has at most `MAX_PAGE_VALUES` values. A body is a view of memory
 * that is overwritten when any method is called, so it must not be transferred to another thread.
 */
export interface ParquetKernels {
  readonly dictionary: PageDictionary;

  /** Encodes a page of integers as DELTA_BINARY_PACKED. */
  delta(words: Int32Array, order: IntegerOrder): EncodedPage;

  /**
   * Encodes the major positions of the entries [from, to) of a compressed sparse matrix as DELTA_BINARY_PACKED. The
   * bytes are the same as if `delta` encoded the expanded column as int32.
   * @param pointers the pointers of the major positions first, first + 1, …, and the end of the last position. They
   * never decrease; pointers[0] <= from, and to <= the last pointer.
   * @param first the first major position; all positions are below 2^31.
   */
  deltaRows(pointers: Float64Array | Int32Array, first: number, from: number, to: number): EncodedPage;

  /**
   * Encodes numbers of `width` bits in the hybrid of run lengths and bit-packing. The numbers are codes of an existing
   * dictionary, or levels. The output contains neither the width nor a length.
   * @param width 0 … 16, or 0 … 32 if the numbers are 32 bits wide.
   */
  hybrid(indices: Uint16Array | Int32Array, width: number): Uint8Array;

  /** Returns the range of a PLAIN page; null if the page has no values other than NaN. */
  range(words: Int32Array, order: WordOrder): ValueRange | null;
}

/** The dictionary of one chunk at a time. Values are compared by bits. */
export interface PageDictionary {
  readonly size: number;

  /**
   * Resets the dictionary for a chunk of `values` values. A dictionary with more entries than half the number of
   * values, or with more than `MOST_ENTRIES`, would not save space.
   */
  reset(wordsPerValue: 1 | 2, values: number): void;

  /**
   * Adds the values of a page to the dictionary.
   * @returns false if the dictionary would grow too large, in which case it must be reset.
   */
  index(words: Int32Array): boolean;

  /**
   * Returns the page that was added last, in RLE_DICTIONARY encoding. Its first byte is the width of an index into the
   * dictionary so far, so earlier pages can have a smaller width.
   */
  page(): Uint8Array;

  /** Returns a copy of the entries in the order of their indices. */
  words(): Int32Array;
}
