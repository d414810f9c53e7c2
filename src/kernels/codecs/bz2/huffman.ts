/** The bits of a bzip2 stream, and the Huffman codes in them. */

import { InvalidDataError } from "../../../model/errors.js";
import type { EncodedInput } from "../bounds/steps.js";

/**
 * A canonical code: for every length its first code, the number of its codes, and the place where their symbols begin.
 */
export interface SymbolTable {
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly index: Uint32Array;
  readonly symbols: Uint16Array;
}

const MAX_LENGTH = 20;

export function huffmanTable(lengths: Uint8Array): SymbolTable {
  const count = new Uint32Array(MAX_LENGTH + 1);
  for (const length of lengths) count[length]++;
  const first = new Uint32Array(MAX_LENGTH + 1);
  const index = new Uint32Array(MAX_LENGTH + 1);
  const symbols = new Uint16Array(lengths.length);
  let code = 0;
  let at = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    code *= 2;
    first[length] = code;
    index[length] = at;
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) symbols[at++] = symbol;
    code += count[length];
  }
  return { first, count, index, symbols };
}

/** Reads the next symbol. An over-full or incomplete table gives an error or wrong symbols, which the CRC finds. */
export function readSymbol(bits: BitReader, table: SymbolTable): number {
  let code = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    code = (code << 1) | bits.read(1);
    const offset = code - table.first[length];
    if (offset >= 0 && offset < table.count[length]) return table.symbols[table.index[length] + offset];
  }
  throw new InvalidDataError("bzip2: a code that no symbol has");
}

/** Reads the bits of each byte, the highest first. */
export class BitReader {
  readonly #input: EncodedInput;
  #buffer = 0;
  #count = 0;

  constructor(input: EncodedInput) {
    this.#input = input;
  }

  /** Returns the next `count` bits, at most 24. */
  read(count: number): number {
    const input = this.#input;
    while (this.#count < count) {
      if (input.at >= input.bytes.length) throw new InvalidDataError("truncated bzip2 stream");
      this.#buffer = ((this.#buffer << 8) | input.bytes[input.at++]) & 0xffffffff;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#buffer >>> this.#count) & ((1 << count) - 1);
  }

  read32(): number {
    return ((this.read(16) << 16) | this.read(16)) >>> 0;
  }

  /** Skips the rest of a byte. */
  align(): void {
    this.#count -= this.#count % 8;
  }

  hasMore(): boolean {
    return this.#count > 0 || this.#input.at < this.#input.bytes.length;
  }
}
