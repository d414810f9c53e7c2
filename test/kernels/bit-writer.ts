/** Deflate streams written bit by bit from RFC 1951, to say what no compressor says. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #bits = 0;
  #count = 0;

  /** Least significant bit first: all but Huffman codes. */
  bits(value: number, count: number): this {
    for (let k = 0; k < count; k++) this.#bit((value >>> k) & 1);
    return this;
  }

  /** Most significant bit first. */
  code(value: number, count: number): this {
    for (let k = count - 1; k >= 0; k--) this.#bit((value >>> k) & 1);
    return this;
  }

  /** A literal or length symbol of the fixed code (3.2.6). */
  fixed(symbol: number): this {
    if (symbol < 144) return this.code(0x30 + symbol, 8);
    if (symbol < 256) return this.code(0x190 + symbol - 144, 9);
    if (symbol < 280) return this.code(symbol - 256, 7);
    return this.code(0xc0 + symbol - 280, 8);
  }

  /** The header of a dynamic block, code lengths given one by one with codes of 4 and 5 bits (3.2.7). */
  dynamic(litlen: readonly number[], distance: readonly number[]): this {
    this.bits(1, 1).bits(2, 2);
    this.bits(litlen.length - 257, 5)
      .bits(distance.length - 1, 5)
      .bits(15, 4);
    // 16 lengths (0 to 15) in 4 bits would be a whole code: 13 of them keep 4 bits, 0 to 2 share theirs with 16 to 18.
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    for (const symbol of order) this.bits(symbol < 3 || symbol > 15 ? 5 : 4, 3);
    for (const length of [...litlen, ...distance]) {
      if (length < 3) this.code(0b11010 + length, 5);
      else this.code(length - 3, 4);
    }
    return this;
  }

  /** Whole bytes, the last one filled with zeros. */
  bytes(): Uint8Array {
    return Uint8Array.from(this.#count === 0 ? this.#bytes : [...this.#bytes, this.#bits]);
  }

  #bit(bit: number): void {
    this.#bits |= bit << this.#count;
    this.#count++;
    if (this.#count < 8) return;
    this.#bytes.push(this.#bits);
    this.#bits = 0;
    this.#count = 0;
  }
}
