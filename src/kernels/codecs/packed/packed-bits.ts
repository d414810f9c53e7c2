/**
 * Numbers packed by HDF5's own filters. Each number has a fixed number of bits, with the most significant bit first,
 * and numbers follow each other without a gap.
 */

import { InvalidDataError } from "../../../model/errors.js";
import type { OutputSize } from "../bounds/byte-codec.js";

/** Reads numbers from packed bits. The caller must check in advance that there are enough bytes. */
export class PackedBits {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Position of the next bit: its byte, and its index in this byte, counted from the most significant bit. */
  #byte: number;
  #bit = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#byte = at;
  }

  /** @param bits between 1 and 32. */
  take(bits: number): number {
    const number = this.#wordAt(this.#byte, this.#bit) >>> (32 - bits);
    const next = this.#bit + bits;
    this.#byte += next >>> 3;
    this.#bit = next & 7;
    return number;
  }

  /** Reads `count` numbers of 1 to 32 bits. */
  takeMany(bits: number, count: number, numbers: Int32Array): void {
    let [byte, bit, i] = [this.#byte, this.#bit, 0];
    const unused = 32 - bits;
    const last = this.#lastInside(bits, count, 5);
    // Loading a word at the first byte of a number gives at least 25 usable bits, which contain this many whole
    // numbers.
    const together = Math.floor(25 / bits);
    const step = together * bits;
    while (together > 0 && i + together <= last) {
      let word = this.#view.getUint32(byte) << bit;
      for (const end = i + together; i < end; i++) {
        numbers[i] = word >>> unused;
        word <<= bits;
      }
      byte += (bit + step) >>> 3;
      bit = (bit + step) & 7;
    }
    [this.#byte, this.#bit] = [byte, bit];
    for (; i < count; i++) numbers[i] = this.take(bits);
  }

  /**
   * Reads `count` numbers of 33 to 64 bits.
   * @param low the lower 32 bits of each number.
   * @param high the upper bits of each number.
   */
  takeHalves(bits: number, count: number, low: Int32Array, high: Int32Array): void {
    const [view, bytes] = [this.#view, this.#bytes];
    let [byte, bit, i] = [this.#byte, this.#bit, 0];
    const last = this.#lastInside(bits, count, 9);
    const upper = bits - 32;
    for (; i < last; i++) {
      high[i] = ((view.getUint32(byte) << bit) | (bytes[byte + 4] >>> (8 - bit))) >>> (32 - upper);
      byte += (bit + upper) >>> 3;
      bit = (bit + upper) & 7;
      low[i] = (view.getUint32(byte) << bit) | (bytes[byte + 4] >>> (8 - bit));
      byte += 4;
    }
    [this.#byte, this.#bit] = [byte, bit];
    for (; i < count; i++) {
      high[i] = this.take(upper);
      low[i] = this.take(32);
    }
  }

  /** Counts how many of the next `count` numbers have at least `span` bytes available from their first byte on. */
  #lastInside(bits: number, count: number, span: number): number {
    return Math.min(count, Math.floor((8 * (this.#bytes.length - span - this.#byte)) / bits));
  }

  /** Returns the 32 bits starting at a bit, with zeros after the last byte. */
  #wordAt(byte: number, bit: number): number {
    const bytes = this.#bytes;
    if (byte + 4 < bytes.length) return (this.#view.getUint32(byte) << bit) | (bytes[byte + 4] >>> (8 - bit));
    let word = 0;
    for (let i = 0; i < 4; i++) word = (word << 8) | (bytes[byte + i] ?? 0);
    return (word << bit) | ((bytes[byte + 4] ?? 0) >>> (8 - bit));
  }
}

/**
 * Returns the memory for the values of a chunk.
 * @param found the chunk's number of bytes according to the filter's settings.
 * @throws {InvalidDataError} if the chunk has a different number of bytes.
 */
export function getOutputMemory(found: number, { bytes, exact }: OutputSize, target?: Uint8Array): Uint8Array {
  if (exact ? found !== bytes : found > bytes) {
    throw new InvalidDataError(`filter for chunks of ${found} bytes, the chunk has ${exact ? "" : "at most "}${bytes}`);
  }
  return target?.length === found ? target : new Uint8Array(found);
}

/** @throws {InvalidDataError} if `stored` bytes do not contain `bits` bits after the first `from` bytes. */
export function checkBits(bits: number, stored: number, from: number): void {
  const needed = from + Math.ceil(bits / 8);
  if (needed > stored) throw new InvalidDataError(`packed values of ${needed} bytes in a chunk of ${stored} bytes`);
}
