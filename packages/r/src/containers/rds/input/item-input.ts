/** Input of the words and strings in an R file, whichever encoding it has: XDR, little-endian or ASCII. */

/**
 * The requests that a reading generator yields: a number asks for this many bytes to be buffered, memory asks to be
 * filled with the next bytes, and a promise asks to be awaited. Between two requests, reading is ordinary synchronous
 * code.
 */
export type Want = number | Uint8Array | Promise<unknown>;
export type Reading<T> = Generator<Want, T, unknown>;

export interface ItemInput {
  /** True if `count` bytes can be read without waiting. */
  has(count: number): boolean;
  /** Returns the next integer; four bytes must be buffered. */
  int(): number;
  /** Returns the next string's bytes, which are valid until the next call; `length` bytes must be buffered. */
  chars(length: number): Uint8Array;
  ints(count: number): Reading<Int32Array<ArrayBuffer>>;
  reals(count: number): Reading<Float64Array<ArrayBuffer>>;
  raws(count: number): Reading<Uint8Array<ArrayBuffer>>;
  /** Fills memory with numbers of `size` bytes each; absent for ASCII, where words have no fixed size. */
  words?(bytes: Uint8Array, size: number): Reading<void>;
  /**
   * Checks a declared count before memory is allocated for it.
   * @param bytes minimum number of bytes of one element in XDR.
   * @throws {InvalidDataError} if the file cannot contain so many elements.
   * @throws {UnsupportedError} if all vectors together take more memory than is allowed.
   */
  expect(count: number, bytes: number, what: string): void;
  /**
   * Supplies what a reading generator requested.
   * @throws {InvalidDataError} if the file ends before that.
   */
  supply(want: Want): Promise<void>;
  /**
   * Checks that nothing follows the last value. Reading up to the end also verifies the checksum of a compressed file.
   * @throws {InvalidDataError} if more data follows, or if the checksum is wrong.
   */
  end(): Promise<void>;
}
