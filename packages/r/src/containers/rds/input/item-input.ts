/** Input of the words and strings of an R file in any encoding: XDR, little-endian or ASCII. */

/**
 * The requests that a reading generator yields: a number asks for this many bytes at hand, memory asks to be filled with
 * the next bytes, a promise to be waited for. Between two requests, reading is ordinary synchronous code.
 */
export type Want = number | Uint8Array | Promise<unknown>;
export type Reading<T> = Generator<Want, T, unknown>;

export interface ItemInput {
  /** True if `count` bytes can be read without waiting. */
  has(count: number): boolean;
  /** Returns the next integer; four bytes must be buffered. */
  int(): number;
  /** Returns the next string's bytes, valid until the next call; `length` bytes must be buffered. */
  chars(length: number): Uint8Array;
  ints(count: number): Reading<Int32Array<ArrayBuffer>>;
  reals(count: number): Reading<Float64Array<ArrayBuffer>>;
  raws(count: number): Reading<Uint8Array<ArrayBuffer>>;
  /** Fills memory with numbers of `size` bytes each; absent for ASCII, where words have no fixed size. */
  words?(bytes: Uint8Array, size: number): Reading<void>;
  /**
   * Checks a declared count before memory is allocated for it.
   * @param bytes minimum number of bytes of one element in XDR.
   * @throws {InvalidDataError} where the file cannot hold so many elements.
   * @throws {UnsupportedError} where all vectors together take more memory than is allowed.
   */
  expect(count: number, bytes: number, what: string): void;
  /**
   * Supplies what a reading generator asked for.
   * @throws {InvalidDataError} where the file ends before.
   */
  supply(want: Want): Promise<void>;
  /**
   * Checks that the last value was the end. Reading up to the end also verifies the checksum of a compressed file.
   * @throws {InvalidDataError} where more follows, or the checksum is wrong.
   */
  end(): Promise<void>;
}
