/**
 * BP-128: the format in which BPCells packs arrays of unsigned 32-bit integers, in chunks of 128 values. Each chunk has
 * its own bit width and four interleaved lanes. Value i of a chunk is in lane i & 3. Its bits begin at bit (i >> 2) *
 * width of the lane, with the low bits first, and word w of lane l is word 4 * w + l of the chunk. A chunk therefore
 * has 4 * width words. The last chunk of an array is padded with the array's last value.
 */

/**
 * The transformation of a chunk's values before they are packed, all modulo 2^32. "plain": unchanged. "m1": minus one.
 * "d1": the difference from the previous value (0 for the first value, which is stored in `starts`). "d1z": this
 * difference with its sign in the lowest bit. A chunk of width 32 contains the unchanged values, whatever the kind.
 */
export type Bp128Kind = "plain" | "m1" | "d1" | "d1z";

/** Number of values in a chunk, which is also the maximum number of words in a chunk. */
export const CHUNK = 128;
/** Maximum number of chunks that are packed or unpacked at a time. */
export const PAGE_CHUNKS = 2048;
export const PAGE_VALUES = PAGE_CHUNKS * CHUNK;

/**
 * Maximum number of words, and of entries of `idx` and `starts`, in a page. This is enough packed data to fill the
 * page's values several times, so that several fills are read from the file at once.
 */
export const PAGE_WORDS = 4 * PAGE_VALUES;
export const PAGE_ENTRIES = 64 * PAGE_CHUNKS;

export function getChunkIndex(at: number): number {
  // The division is always exact. Once the engine assumes integer results, a fractional result makes it compile again.
  return (at - (at % CHUNK)) / CHUNK;
}

export function countChunks(count: number): number {
  return getChunkIndex(count + CHUNK - 1);
}

/** Returns whether the first value of every chunk is stored. */
export function hasStarts(kind: Bp128Kind): boolean {
  return kind === "d1" || kind === "d1z";
}

/** The positions in a page's arrays at which packed chunks start. */
export interface PageOffsets {
  readonly data: number;
  readonly idx: number;
  readonly starts: number;
}

export const PAGE_BEGIN: PageOffsets = { data: 0, idx: 0, starts: 0 };

/**
 * Memory for up to `PAGE_CHUNKS` consecutive chunks, packed and unpacked. Files are read directly into it and written
 * from it. The four arrays stay valid as long as the page, but their contents only until the next call.
 */
export interface Bp128Page {
  /** The packed words, beginning with the first chunk. */
  readonly data: Uint32Array;
  /** The start of each chunk and the end of the last chunk, in words from the array's start, modulo 2^32. */
  readonly idx: Uint32Array;
  /** The first value of each chunk, for kinds with starts. */
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
  /**
   * Unpacks `data`, `idx` and `starts` to `values`; `unpackPage` also checks its input.
   * @param place where the chunks begin: their words, entries and starts are stored from there on.
   * @returns the first chunk whose number of words is not 4 * (0 … 32), or -1.
   */
  unpack(kind: Bp128Kind, chunks: number, place?: PageOffsets): number;
  /**
   * Packs `values` to `data`, `idx` and `starts`.
   * @param position the position of the first word, modulo 2^32.
   * @returns the number of words.
   */
  pack(kind: Bp128Kind, chunks: number, position: number): number;
  /** Adds another page's values to the first `count` values, modulo 2^32. Up to three more values may change. */
  add(other: Bp128Page, count: number): void;
  /**
   * Replaces the `count` values from `from` on, which are the bits of floats, by the integers equal to the floats.
   * Stops at the first float that is not a whole number in 0 … 2^32 - 1.
   * @returns the index of this float, relative to `from`, or -1.
   */
  wholeFloats(from: number, count: number): number;
  /** Returns whether any of the first `count` values is less than the previous value. */
  falls(count: number): boolean;
  /** Returns the maximum of the first `count` values, or 0 if `count` is 0. */
  greatest(count: number): number;
  /**
   * Counts how many of the `count` values from `from` on are less than the value before them. Returns -1 if a value is
   * not below `limit`, which has 32 bits.
   */
  survey(from: number, count: number, limit: number): number;
  /** Returns the sum of the values [from, to). */
  sum(from: number, to: number): number;
  /**
   * Writes the major positions of the entries [start, end) of a compressed matrix to the values from `at` on, as
   * `expandPointers` does. Up to three values after these may change, and the rest of the page is overwritten.
   */
  expand(pointers: Float64Array, first: number, start: number, end: number, at: number): void;
}

/** Two parallel packed arrays, and a sum for each possible value of the first array. */
export interface Bp128Sums {
  readonly indices: Bp128Page;
  readonly values: Bp128Page;
  readonly count: number;
  /**
   * Adds each of the values [from, to) to the sum whose index is stored in `indices` at the same position. The sum must
   * exist.
   */
  add(from: number, to: number): void;
  /** Returns the sums, exact below 2^53, and resets them to 0. */
  take(): Float64Array<ArrayBuffer>;
}
