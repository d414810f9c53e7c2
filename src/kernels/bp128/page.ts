/**
 * BP-128, how BPCells packs arrays of unsigned 32-bit integers: chunks of 128 values, each with a width of its own, in
 * four interleaved lanes. Value i of a chunk is in lane i & 3; its bits begin at bit (i >> 2) * width of the lane, the
 * low ones first, and word w of lane l is word 4 * w + l of the chunk. So a chunk has 4 * width words. The last chunk
 * of an array is filled up with its last value.
 */

/**
 * What is done to the values of a chunk before they are packed, all modulo 2^32: nothing; one less; the difference from
 * the value before (0 for the first, which is kept in `starts`); the same with its sign in the lowest bit. A chunk of
 * the width 32 has the values themselves, whatever the kind.
 */
export type Bp128Kind = "plain" | "m1" | "d1" | "d1z";

/** Values of a chunk, and most words of one. */
export const CHUNK = 128;
/** Most chunks that are packed or unpacked at a time. */
export const PAGE_CHUNKS = 2048;
export const PAGE_VALUES = PAGE_CHUNKS * CHUNK;

/** Most words, entries of `idx` and starts that lie in a page: those of several of its fills, which are read at once. */
export const PAGE_WORDS = 4 * PAGE_VALUES;
export const PAGE_ENTRIES = 64 * PAGE_CHUNKS;

/** The number of the chunk that has value `at`. */
export function chunkOf(at: number): number {
  // Always a whole number: where the engine has learnt that, a fraction would make it compile anew.
  return (at - (at % CHUNK)) / CHUNK;
}

/** How many chunks `count` values fill. */
export function chunkCount(count: number): number {
  return chunkOf(count + CHUNK - 1);
}

/** Whether the first value of every chunk is stored. */
export function hasStarts(kind: Bp128Kind): boolean {
  return kind === "d1" || kind === "d1z";
}

/** Where in the arrays of a page packed chunks begin. */
export interface PlaceInPage {
  readonly data: number;
  readonly idx: number;
  readonly starts: number;
}

export const PAGE_BEGIN: PlaceInPage = { data: 0, idx: 0, starts: 0 };

/**
 * Memory for up to `PAGE_CHUNKS` chunks in a row, packed and unpacked: files are read straight into it, and written from
 * it. The four arrays last as long as the page; what they hold, until the next call.
 */
export interface Bp128Page {
  /** Packed words, from those of the first chunk on. */
  readonly data: Uint32Array;
  /** Where each chunk begins, and where the last one ends: words from the array's begin on, modulo 2^32. */
  readonly idx: Uint32Array;
  /** The first value of each chunk, of kinds that have them. */
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
  /**
   * From `data`, `idx` and `starts` to `values`; see `unpackPage`, which checks what it is given.
   * @param place where the chunks begin, from where the arrays go on for as much as they need.
   * @returns -1, or the first chunk whose number of words is not 4 * (0 … 32).
   */
  unpack(kind: Bp128Kind, chunks: number, place?: PlaceInPage): number;
  /**
   * From `values` to `data`, `idx` and `starts`.
   * @param position that of the first word, modulo 2^32.
   * @returns the number of words.
   */
  pack(kind: Bp128Kind, chunks: number, position: number): number;
  /** Adds another page's values to the first `count`, modulo 2^32; up to three more may change. */
  add(other: Bp128Page, count: number): void;
  /**
   * Turns the floats whose bits are the `count` values from `from` on into the integers that they are, up to the first
   * that is no whole number in 0 … 2^32 - 1.
   * @returns its place behind `from`, or -1.
   */
  wholeFloats(from: number, count: number): number;
  /** Whether one of the first `count` values is less than the one before it. */
  falls(count: number): boolean;
  /** The greatest of the first `count` values, 0 of none. */
  greatest(count: number): number;
  /**
   * How many of the `count` values from `from` on are less than the one before them; -1 where one is not below `limit`,
   * which has 32 bits.
   */
  survey(from: number, count: number, limit: number): number;
  /** The sum of the values [from, to). */
  sum(from: number, to: number): number;
  /**
   * Writes the major positions of the entries [start, end) of a compressed matrix to the values from `at` on, as
   * `expandPointers` does; up to three values behind them may change. Nothing else of the page is kept.
   */
  expand(pointers: Float64Array, first: number, start: number, end: number, at: number): void;
}

/** Two packed arrays side by side, and a sum for every value that the first one can have. */
export interface Bp128Sums {
  readonly indices: Bp128Page;
  readonly values: Bp128Page;
  /** How many sums there are. */
  readonly count: number;
  /** Adds each of the values [from, to) to the sum that `indices` has in its place, which must be there. */
  add(from: number, to: number): void;
  /** The sums, exact below 2^53; they begin anew at 0. */
  take(): Float64Array<ArrayBuffer>;
}
