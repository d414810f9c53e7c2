import { InvalidDataError } from "../../model/errors.js";
import { createCodecFactory, type OutputSize } from "./bounds/byte-codec.js";

import { DecodedOutput } from "./bounds/decoded-output.js";
import { type EncodedInput, runSteps, type Steps } from "./bounds/steps.js";

// The bits of a bzip2 stream, and the Huffman codes in them.

/** A canonical code. For every length: the first code, the number of codes, and the index of their first symbol. */
interface SymbolTable {
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly index: Uint32Array;
  readonly symbols: Uint16Array;
}

const MAX_LENGTH = 20;

function createHuffmanTable(lengths: Uint8Array): SymbolTable {
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

/** Reads the next symbol. An over-full or incomplete table causes an error, or wrong symbols that the CRC detects. */
function readSymbol(bits: BitReader, table: SymbolTable): number {
  let code = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    code = (code << 1) | bits.read(1);
    const offset = code - table.first[length];
    if (offset >= 0 && offset < table.count[length]) return table.symbols[table.index[length] + offset];
  }
  throw new InvalidDataError("bzip2: a code that no symbol has");
}

/** Reads the bits of each byte, the highest first. */
class BitReader {
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

  /** Skips the remaining bits of a byte. */
  align(): void {
    this.#count -= this.#count % 8;
  }

  hasMore(): boolean {
    return this.#count > 0 || this.#input.at < this.#input.bytes.length;
  }
}

/* bzip2 has no formal specification. This code follows J. Tsai's "BZIP2: Format Specification" (2016). */

const BLOCK = 0x314159265359;
const END = 0x177245385090;
const GROUP = 50;

/**
 * Decodes one or more bzip2 streams and verifies their checksums.
 * @throws {InvalidDataError} if a stream is corrupt, or decodes to more bytes than `size` allows. The caller checks for
 * too few bytes.
 */
export function decodeBz2(bytes: Uint8Array, size: OutputSize): Uint8Array {
  const out = new DecodedOutput(size);
  runSteps(decodeBz2InSteps({ bytes, at: 0 }, out));
  return out.finish();
}

export const bz2 = createCodecFactory(decodeBz2);

/** Decodes bzip2 streams like `decodeBz2`, in steps of about a megabyte at most. */
export function* decodeBz2InSteps(input: EncodedInput, out: DecodedOutput): Steps {
  const bits = new BitReader(input);
  do {
    yield* streamSteps(bits, out);
    bits.align();
    yield 1;
  } while (bits.hasMore());
}

/** Upper bound for the encoded size of a block: codes of 20 bits and their tables. */
const MAX_BLOCK = 2 ** 22;

/** Number of decoded bytes that are written per step. */
const STEP = 2 ** 20;

function* streamSteps(bits: BitReader, out: DecodedOutput): Steps {
  yield MAX_BLOCK;
  if (bits.read(24) !== 0x425a68) throw new InvalidDataError("not a bzip2 stream");
  const level = bits.read(8) - 0x30;
  if (level < 1 || level > 9) throw new InvalidDataError(`bzip2 level ${level}`);
  let combined = 0;
  for (;;) {
    yield MAX_BLOCK;
    const magic = bits.read(24) * 2 ** 24 + bits.read(24);
    const stored = bits.read32();
    if (magic === END) {
      if (stored !== combined) throw new InvalidDataError("bzip2: wrong CRC of the stream");
      return;
    }
    if (magic !== BLOCK) throw new InvalidDataError("corrupt bzip2 stream: no block");
    const crc = yield* blockSteps(bits, level * 100_000, out);
    if (crc !== stored) throw new InvalidDataError("bzip2: wrong CRC of a block");
    combined = (((combined << 1) | (combined >>> 31)) ^ crc) >>> 0;
  }
}

/** Decodes one block and returns the CRC of its bytes. */
function* blockSteps(bits: BitReader, limit: number, out: DecodedOutput): Steps<number> {
  if (bits.read(1) === 1) throw new InvalidDataError("bzip2: randomised block");
  const origin = bits.read(24);
  const symbols = readUsedBytes(bits);
  const { tables, selectors } = readTables(bits, symbols.length + 2);
  const block = readMoveToFront(bits, symbols, tables, selectors, limit);
  if (origin >= block.length) throw new InvalidDataError(`bzip2: origin ${origin} of ${block.length}`);
  return yield* undoTransform(block, origin, out);
}

/** Reads the byte values that occur: 16 bits for ranges of 16 values, then 16 bits for each range in use. */
function readUsedBytes(bits: BitReader): number[] {
  const ranges = bits.read(16);
  const used: number[] = [];
  for (let range = 0; range < 16; range++) {
    if (!(ranges & (0x8000 >> range))) continue;
    const map = bits.read(16);
    for (let i = 0; i < 16; i++) if (map & (0x8000 >> i)) used.push(16 * range + i);
  }
  if (used.length === 0) throw new InvalidDataError("bzip2: a block without bytes");
  return used;
}

function readTables(bits: BitReader, alphabet: number): { tables: SymbolTable[]; selectors: Uint8Array } {
  const count = bits.read(3);
  const selectors = new Uint8Array(bits.read(15));
  if (count < 2 || count > 6 || selectors.length === 0) throw new InvalidDataError(`bzip2: ${count} tables`);
  const order = [0, 1, 2, 3, 4, 5];
  for (let i = 0; i < selectors.length; i++) {
    let position = 0;
    while (bits.read(1) === 1) {
      if (++position >= count) throw new InvalidDataError("bzip2: selector out of range");
    }
    const [table] = order.splice(position, 1);
    order.unshift(table);
    selectors[i] = table;
  }
  const tables: SymbolTable[] = [];
  for (let t = 0; t < count; t++) {
    const lengths = new Uint8Array(alphabet);
    let length = bits.read(5);
    for (let symbol = 0; symbol < alphabet; symbol++) {
      while (bits.read(1) === 1) length += bits.read(1) === 1 ? -1 : 1;
      if (length < 1 || length > 20) throw new InvalidDataError(`bzip2: code length ${length}`);
      lengths[symbol] = length;
    }
    tables.push(createHuffmanTable(lengths));
  }
  return { tables, selectors };
}

/** Reads the bytes of a block, without undoing the Burrows-Wheeler transform. */
function readMoveToFront(
  bits: BitReader,
  symbols: readonly number[],
  tables: readonly SymbolTable[],
  selectors: Uint8Array,
  limit: number,
): Uint8Array {
  const end = symbols.length + 1;
  const front = Uint8Array.from(symbols);
  const block = new Uint8Array(limit);
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let i = 0; ; i++) {
    const group = Math.floor(i / GROUP);
    if (group >= selectors.length) throw new InvalidDataError("bzip2: more symbols than selectors");
    const symbol = readSymbol(bits, tables[selectors[group]]);
    if (symbol <= 1) {
      // A run's length is written in bijective base 2.
      run += weight << symbol;
      weight <<= 1;
      if (run > limit) throw new InvalidDataError(`bzip2: a run of ${run} bytes`);
      continue;
    }
    if (run > 0) {
      if (length + run > limit) throw new InvalidDataError(`bzip2: a block of more than ${limit} bytes`);
      block.fill(front[0], length, length + run);
      length += run;
      run = 0;
      weight = 1;
    }
    if (symbol === end) return block.subarray(0, length);
    if (length === limit) throw new InvalidDataError(`bzip2: a block of more than ${limit} bytes`);
    const value = front[symbol - 1];
    front.copyWithin(1, 0, symbol - 1);
    front[0] = value;
    block[length++] = value;
  }
}

/** Undoes the Burrows-Wheeler transform and the outer run-length code (four equal bytes, then a count). */
function* undoTransform(block: Uint8Array, origin: number, out: DecodedOutput): Steps<number> {
  const starts = new Uint32Array(257);
  for (const byte of block) starts[byte + 1]++;
  for (let i = 1; i < 257; i++) starts[i] += starts[i - 1];
  const next = new Uint32Array(block.length);
  for (let i = 0; i < block.length; i++) next[starts[block[i]]++] = i;
  let at = next[origin];
  let equal = 0;
  let previous = -1;
  let crc = 0xffffffff;
  let step = out.length + STEP;
  for (let i = 0; i < block.length; i++, at = next[at]) {
    if (out.length >= step) {
      yield 0;
      step += STEP;
    }
    const byte = block[at];
    if (equal === 4) {
      for (let copy = 0; copy < byte; copy++) {
        out.push(previous);
        crc = (crc << 8) ^ CRC[(crc >>> 24) ^ previous];
      }
      equal = 0;
      previous = -1;
      continue;
    }
    equal = byte === previous ? equal + 1 : 1;
    previous = byte;
    out.push(byte);
    crc = (crc << 8) ^ CRC[(crc >>> 24) ^ byte];
  }
  return ~crc >>> 0;
}

/** CRC-32 with the highest bit first, unlike the CRC-32 of gzip. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});
