import { InvalidDataError } from "../../../model/errors.js";

/** Reads bits from the highest of each byte on. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #buffer = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next `count` bits, at most 24. */
  read(count: number): number {
    while (this.#count < count) {
      if (this.#at >= this.#bytes.length) throw new InvalidDataError("truncated bzip2 stream");
      this.#buffer = ((this.#buffer << 8) | this.#bytes[this.#at++]) & 0xffffffff;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#buffer >>> this.#count) & ((1 << count) - 1);
  }

  read32(): number {
    return ((this.read(16) << 16) | this.read(16)) >>> 0;
  }

  /** Passes over the rest of a byte. */
  align(): void {
    this.#count -= this.#count % 8;
  }

  hasMore(): boolean {
    return this.#count > 0 || this.#at < this.#bytes.length;
  }
}
