/** Builds the structures in a file from little-endian fields. */

/** Half of the undefined address. */
const UNDEFINED = 0xffffffff;

export class ByteBuilder {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  u8(...values: number[]): this {
    const at = this.#claim(values.length);
    for (let i = 0; i < values.length; i++) this.#bytes[at + i] = values[i];
    return this;
  }

  u16(value: number): this {
    const at = this.#claim(2);
    this.#bytes[at] = value;
    this.#bytes[at + 1] = value >>> 8;
    return this;
  }

  u32(value: number): this {
    const at = this.#claim(4);
    this.#word(at, value);
    return this;
  }

  /** Writes a word byte by byte, which is cheaper than creating a DataView for a short array. */
  #word(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
  }

  /** Appends a length or a count of at most 2^53. */
  u64(value: number): this {
    const at = this.#claim(8);
    this.#word(at, value % 2 ** 32);
    this.#word(at + 4, Math.floor(value / 2 ** 32));
    return this;
  }

  /** Appends an address; the undefined address for null. */
  address(value: number | null): this {
    return value === null ? this.u32(UNDEFINED).u32(UNDEFINED) : this.u64(value);
  }

  bytes(bytes: Uint8Array): this {
    const at = this.#claim(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  ascii(text: string): this {
    const at = this.#claim(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[at + i] = text.charCodeAt(i);
    return this;
  }

  zeros(count: number): this {
    this.#claim(count);
    return this;
  }

  /** Appends zeros up to the next multiple of 8. */
  pad8(): this {
    return this.zeros(-this.length & 7);
  }

  /** Returns the bytes so far, without copying. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  /** Makes room for `count` bytes, allocating new memory if needed, and returns the position of that room. */
  #claim(count: number): number {
    const at = this.length;
    const end = at + count;
    if (end > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    this.length = end;
    return at;
  }
}
