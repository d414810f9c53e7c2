/** What the reader of items asks of a file's bytes, be they XDR, little-endian or ASCII. */

/**
 * A generator of reading stops where bytes are missing, and says what it wants: at least so many bytes at hand, or
 * the next bytes in this memory, all of it. Between two stops it is ordinary code.
 */
export type Want = number | Uint8Array;
export type Reading<T> = Generator<Want, T, undefined>;

export interface ItemInput {
  /** Whether `count` bytes are at hand, or never need to be waited for. */
  has(count: number): boolean;
  /** The next integer; four bytes must be at hand. */
  int(): number;
  /** The next string's bytes, valid until the next call; `length` of them must be at hand. */
  chars(length: number): Uint8Array;
  ints(count: number): Reading<Int32Array<ArrayBuffer>>;
  reals(count: number): Reading<Float64Array<ArrayBuffer>>;
  raws(count: number): Reading<Uint8Array<ArrayBuffer>>;
  /**
   * Checks a declared count before memory is taken for it.
   * @param bytes the fewest that one element takes in XDR.
   * @throws {InvalidDataError} where the file cannot hold so many.
   */
  expect(count: number, bytes: number, what: string): void;
}
