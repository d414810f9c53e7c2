/**
 * LZMA in its containers: xz files, the older .lzma, and LZMA2 without a container. Zarr's `lzma` is the output of
 * Python's module `lzma`.
 */

import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import { computeCrc32 } from "../checksums/checksums.js";
import { checkIntegerOption, type MakeCodec } from "./bounds/byte-codec.js";

import { DecodedOutput } from "./bounds/decoded-output.js";
import { type EncodedInput, runSteps, type Steps } from "./bounds/steps.js";

/** Python's `lzma.FORMAT_*`: xz, the older .lzma, and filters without a container. */
const XZ = 1;
const ALONE = 2;
const RAW = 3;

export const lzma: MakeCodec = ({ options }) => {
  const format = options.format === undefined ? XZ : checkIntegerOption(options.format, "format of lzma", 0);
  if (format === RAW && !isLzma2Alone(options.filters)) {
    throw new UnsupportedError(`lzma filters ${JSON.stringify(options.filters)}: only LZMA2 alone can be read`);
  }
  return {
    encodedSize: () => null,
    decode(bytes, size) {
      const out = new DecodedOutput(size);
      if (format === RAW) runSteps(decodeLzma2InSteps({ bytes, at: 0 }, out));
      else if (format === ALONE || (format !== XZ && bytes[0] === 0x5d)) decodeAlone(bytes, out);
      else decodeXz(bytes, out);
      return out.finish();
    },
  };
};

function isLzma2Alone(filters: unknown): boolean {
  return Array.isArray(filters) && filters.length === 1 && isJsonObject(filters[0]) && filters[0].id === LZMA2;
}

/**
 * Decodes an .lzma stream, which consists of properties, dictionary size (u32), decoded size (u64; all ones if an end
 * mark follows the data), and data.
 */
function decodeAlone(bytes: Uint8Array, out: DecodedOutput): void {
  if (bytes.length < 13) throw new InvalidDataError(`${bytes.length} bytes are no .lzma stream`);
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(5, true);
  const decoder = new LzmaDecoder(out, parseLzmaProperties(bytes[0]));
  decoder.decode(bytes.subarray(13), size === 2n ** 64n - 1n ? null : Number(size), 0);
}

/** The id of the LZMA2 filter. */
const LZMA2 = 0x21;

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
/** Size in bytes of the check after each block, by check type ("The .xz File Format", 2.1.1.2). */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** Maximum dictionary size in bytes. Decoders hold these bytes in memory. `xz -9` uses 64 MiB. */
const MAX_DICTIONARY = 2 ** 28;

/**
 * Decodes an xz file of one or more streams with LZMA2 blocks into `out`; CRC-32 and CRC-64 are verified.
 * @throws {UnsupportedError} if a block uses another filter.
 */
export function decodeXz(bytes: Uint8Array, out: DecodedOutput): void {
  runSteps(decodeXzInSteps({ bytes, at: 0 }, out));
}

/** Decodes an xz file like `decodeXz`, in steps of one chunk. */
export function* decodeXzInSteps(input: EncodedInput, out: DecodedOutput): Steps {
  do {
    yield* streamSteps(input, out);
    // Zero padding may follow a stream, in multiples of four bytes.
    yield 4;
    while (input.at + 4 <= input.bytes.length && input.bytes[input.at] === 0) {
      input.at += 4;
      yield 4;
    }
  } while (input.at < input.bytes.length);
}

/** Maximum size in bytes of a block header. */
const MAX_HEADER = 1024;

function* streamSteps(input: EncodedInput, out: DecodedOutput): Steps {
  yield 12;
  const { bytes, at } = input;
  need(bytes, at + 12);
  if (MAGIC.some((byte, i) => bytes[at + i] !== byte)) throw new InvalidDataError("not an xz stream");
  verify(computeCrc32(bytes.subarray(at + 6, at + 8)), viewOf(bytes).getUint32(at + 8, true), "stream header");
  const check = bytes[at + 7] & 15;
  input.at += 12;
  for (;;) {
    yield MAX_HEADER;
    need(input.bytes, input.at + 1);
    if (input.bytes[input.at] === 0) break;
    yield* blockSteps(input, check, out);
  }
  yield* indexSteps(input);
}

function* blockSteps(input: EncodedInput, check: number, out: DecodedOutput): Steps {
  out.lookBack(readBlockHeader(input));
  let sum32 = 0;
  let sum64 = 0n;
  const counted = countedInput(input);
  yield* decodeLzma2InSteps(counted, out, (bytes) => {
    if (check === 1) sum32 = computeCrc32(bytes, sum32);
    if (check === 4) sum64 = computeCrc64(bytes, sum64);
  });
  const padding = (4 - (counted.taken % 4)) % 4;
  yield padding + CHECK_SIZES[check];
  need(input.bytes, input.at + padding + CHECK_SIZES[check]);
  input.at += padding;
  const view = viewOf(input.bytes);
  if (check === 1) verify(sum32, view.getUint32(input.at, true), "block");
  if (check === 4) verify(sum64, view.getBigUint64(input.at, true), "block");
  input.at += CHECK_SIZES[check];
}

/** Returns the same input, extended by a count of the consumed bytes. */
function countedInput(input: EncodedInput): EncodedInput & { readonly taken: number } {
  let taken = 0;
  return {
    get bytes() {
      return input.bytes;
    },
    get at() {
      return input.at;
    },
    set at(at) {
      taken += at - input.at;
      input.at = at;
    },
    get taken() {
      return taken;
    },
  };
}

/** Reads a block's header and returns its dictionary size. @throws {UnsupportedError} if there are other filters. */
function readBlockHeader(input: EncodedInput): number {
  const { bytes, at: start } = input;
  const headerSize = (bytes[start] + 1) * 4;
  need(bytes, start + headerSize);
  const crcAt = start + headerSize - 4;
  verify(computeCrc32(bytes.subarray(start, crcAt)), viewOf(bytes).getUint32(crcAt, true), "block header");
  const flags = bytes[start + 1];
  const reader = { at: start + 2 };
  if (flags & 0x40) readInteger(bytes, reader);
  if (flags & 0x80) readInteger(bytes, reader);
  const filter = readInteger(bytes, reader);
  if ((flags & 3) !== 0 || filter !== LZMA2) throw new UnsupportedError(`xz filter ${filter}: only LZMA2 can be read`);
  readInteger(bytes, reader);
  need(bytes, reader.at + 1);
  // Two bits of the mantissa, and an exponent; 40 is 4 GiB.
  const bits = bytes[reader.at] & 63;
  const dictionary = (2 | (bits & 1)) * 2 ** (Math.floor(bits / 2) + 11);
  if (dictionary > MAX_DICTIONARY) {
    throw new UnsupportedError(`an xz dictionary of ${dictionary} bytes, ${MAX_DICTIONARY} are allowed`);
  }
  input.at = start + headerSize;
  return dictionary;
}

/** Skips the index, which repeats the sizes of the blocks, and the footer, which repeats the header's flags. */
function* indexSteps(input: EncodedInput): Steps {
  // The size of the index is unknown before it is read.
  for (let size = 2 ** 12; ; size *= 2) {
    yield size;
    try {
      input.at = skipIndex(input.bytes, input.at);
      return;
    } catch (error) {
      if (input.bytes.length - input.at < size) throw error;
    }
  }
}

/** Returns the end of a stream whose index begins at `start`. */
function skipIndex(bytes: Uint8Array, start: number): number {
  const view = viewOf(bytes);
  const reader = { at: start + 1 };
  const records = readInteger(bytes, reader);
  for (let i = 0; i < 2 * records; i++) readInteger(bytes, reader);
  const at = reader.at + ((4 - ((reader.at - start) % 4)) % 4);
  need(bytes, at + 4 + 12);
  verify(computeCrc32(bytes.subarray(start, at)), view.getUint32(at, true), "index");
  verify(computeCrc32(bytes.subarray(at + 8, at + 14)), view.getUint32(at + 4, true), "footer");
  if (bytes[at + 14] !== 0x59 || bytes[at + 15] !== 0x5a) throw new InvalidDataError("xz: no footer");
  return at + 16;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Reads an integer of seven bits per byte, the lowest bits first. */
function readInteger(bytes: Uint8Array, reader: { at: number }): number {
  let value = 0;
  for (let i = 0; i < 7; i++) {
    need(bytes, reader.at + 1);
    const byte = bytes[reader.at++];
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return value;
  }
  throw new InvalidDataError("xz: an integer of more than 49 bits");
}

function need(bytes: Uint8Array, end: number): void {
  if (end > bytes.length) throw new InvalidDataError(`truncated xz stream: ${bytes.length} bytes, needs ${end}`);
}

function verify<T extends number | bigint>(found: T, stored: T, what: string): void {
  if (found !== stored) {
    throw new InvalidDataError(`xz: wrong CRC of the ${what}: ${found.toString(16)}, stored is ${stored.toString(16)}`);
  }
}

/**
 * Returns the CRC-64 (ECMA-182, reflected, as in xz) of data that begins with bytes whose checksum is `before`,
 * followed by `bytes`. Uses two halves of 32 bits, for speed.
 */
export function computeCrc64(bytes: Uint8Array, before = 0n): bigint {
  let low = ~Number(before & 0xffffffffn);
  let high = ~Number(before >> 32n) >>> 0;
  for (const byte of bytes) {
    const index = (low ^ byte) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ LOW[index];
    high = (high >>> 8) ^ HIGH[index];
  }
  return (BigInt(~high >>> 0) << 32n) | BigInt(~low >>> 0);
}

const LOW = new Uint32Array(256);
const HIGH = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let crc = BigInt(i);
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
  LOW[i] = Number(crc & 0xffffffffn);
  HIGH[i] = Number(crc >> 32n);
}

/** Maximum size of a chunk in bytes: its header, and 2^16 of data. */
const MAX_CHUNK = 6 + 2 ** 16;

/**
 * Decodes an LZMA2 stream, one chunk per step.
 * @param onChunk receives the decoded bytes of each chunk, valid during the call.
 */
function* decodeLzma2InSteps(
  input: EncodedInput,
  out: DecodedOutput,
  onChunk: (bytes: Uint8Array) => void = () => undefined,
): Steps {
  let origin = out.length;
  let properties: LzmaProperties | undefined;
  let decoder: LzmaDecoder | undefined;
  for (;;) {
    yield MAX_CHUNK;
    const before = out.length;
    const control = takeByte(input);
    if (control === 0) return;
    if (control < 0x80) {
      // Control bytes 1 and 2 mark uncompressed bytes; 1 also resets the dictionary.
      if (control > 2) throw new InvalidDataError(`LZMA2 control byte ${control}`);
      if (control === 1) origin = out.length;
      out.append(takePart(input, takeWord(input) + 1));
    } else {
      const size = ((control & 0x1f) << 16) + takeWord(input) + 1;
      const encoded = takeWord(input) + 1;
      // The reset bits: 0 resets nothing; 1 the state; 2 also sets new properties; 3 also resets the dictionary.
      const reset = (control >> 5) & 3;
      if (reset === 3) origin = out.length;
      if (reset >= 2) properties = parseLzmaProperties(takeByte(input));
      if (properties === undefined) throw new InvalidDataError("LZMA2: a chunk without properties");
      if (reset >= 1) decoder = new LzmaDecoder(out, properties);
      if (decoder === undefined) throw new InvalidDataError("LZMA2: a chunk without state");
      decoder.decode(takePart(input, encoded), size, origin);
    }
    onChunk(out.last(out.length - before));
  }
}

function takePart(input: EncodedInput, size: number): Uint8Array {
  const { bytes, at } = input;
  if (at + size > bytes.length) {
    throw new InvalidDataError(`LZMA2: a chunk of ${size} bytes, ${bytes.length - at} are there`);
  }
  input.at += size;
  return bytes.subarray(at, at + size);
}

function takeByte(input: EncodedInput): number {
  if (input.at >= input.bytes.length) throw new InvalidDataError("truncated LZMA2 stream");
  return input.bytes[input.at++];
}

function takeWord(input: EncodedInput): number {
  return takeByte(input) * 256 + takeByte(input);
}

/* LZMA after Igor Pavlov's "LZMA specification" (2015, public domain): a range coder over adaptive bits. */

const BITS = 11;
const HALF = 1 << (BITS - 1);
const SHIFT = 5;
const TOP = 2 ** 24;
const STATES = 12;
const POSITIONS = 16;
const LITERAL_MODEL = 0x300;
const MIN_MATCH = 2;
const LENGTH_STATES = 4;
const SLOTS = 64;
const ALIGN_BITS = 4;
const FULL_DISTANCES = 128;

/** The parameters in LZMA's property byte. */
interface LzmaProperties {
  /**
   * Number of bits of the previous byte, and of the position, that select a literal's model; number of position bits
   * for matches.
   */
  readonly lc: number;
  readonly lp: number;
  readonly pb: number;
}

/** @throws {InvalidDataError} if the byte is not a valid property byte. */
function parseLzmaProperties(byte: number): LzmaProperties {
  if (byte >= 9 * 5 * 5) throw new InvalidDataError(`LZMA properties ${byte}`);
  return { lc: byte % 9, lp: Math.floor(byte / 9) % 5, pb: Math.floor(byte / 45) };
}

class LengthModel {
  readonly choice = model(2);
  readonly low = model(POSITIONS << 3);
  readonly middle = model(POSITIONS << 3);
  readonly high = model(1 << 8);
}

function model(count: number): Uint16Array {
  return new Uint16Array(count).fill(HALF);
}

/** Decodes LZMA into `out`. The bytes of `out` since the last reset are the dictionary. */
class LzmaDecoder {
  readonly #out: DecodedOutput;
  readonly #lc: number;
  readonly #literalMask: number;
  readonly #positionMask: number;
  #input: Uint8Array = new Uint8Array(0);
  #at = 0;
  #range = 0;
  #code = 0;

  readonly #literals: Uint16Array;
  readonly #isMatch = model(STATES * POSITIONS);
  readonly #isRepeat = model(STATES);
  readonly #isRepeat0 = model(STATES);
  readonly #isRepeat0Long = model(STATES * POSITIONS);
  readonly #isRepeat1 = model(STATES);
  readonly #isRepeat2 = model(STATES);
  readonly #slots = model(LENGTH_STATES * SLOTS);
  readonly #distances = model(1 + FULL_DISTANCES - 14);
  readonly #align = model(1 << ALIGN_BITS);
  readonly #matchLength = new LengthModel();
  readonly #repeatLength = new LengthModel();
  #state = 0;
  #repeats = [0, 0, 0, 0];

  constructor(out: DecodedOutput, properties: LzmaProperties) {
    this.#out = out;
    this.#lc = properties.lc;
    this.#literalMask = (1 << properties.lp) - 1;
    this.#positionMask = (1 << properties.pb) - 1;
    this.#literals = model(LITERAL_MODEL << (properties.lc + properties.lp));
  }

  /**
   * Decodes `input` until `out` has grown by `size` bytes, or up to the end mark if `size` is null. Models, state and
   * repeats are preserved for the next call, as LZMA2's chunks require.
   * @param origin the length of `out` when the dictionary was reset. Positions count from there, and earlier bytes
   * cannot be referenced.
   */
  decode(input: Uint8Array, size: number | null, origin: number): void {
    const out = this.#out;
    this.#start(input);
    const end = size === null ? Number.POSITIVE_INFINITY : out.length + size;
    while (out.length < end) {
      const position = (out.length - origin) & this.#positionMask;
      if (this.#bit(this.#isMatch, this.#state * POSITIONS + position) === 0) {
        this.#literal(origin);
        continue;
      }
      const length = this.#match(position, end === Number.POSITIVE_INFINITY);
      if (length === 0) return;
      if (out.length + length > end) throw new InvalidDataError("LZMA: a match passes the end");
      if (this.#repeats[0] + 1 > out.length - origin)
        throw new InvalidDataError("LZMA: a distance passes the beginning");
      out.repeat(this.#repeats[0] + 1, length);
    }
  }

  #start(input: Uint8Array): void {
    if (input.length < 5 || input[0] !== 0) throw new InvalidDataError("corrupt LZMA stream");
    this.#input = input;
    this.#at = 5;
    this.#range = 0xffffffff;
    this.#code = ((input[1] << 24) | (input[2] << 16) | (input[3] << 8) | input[4]) >>> 0;
  }

  #normalise(): void {
    if (this.#range >= TOP) return;
    if (this.#at >= this.#input.length) throw new InvalidDataError("truncated LZMA stream");
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#input[this.#at++]) >>> 0;
  }

  #bit(models: Uint16Array, index: number): 0 | 1 {
    this.#normalise();
    const value = models[index];
    const bound = (this.#range >>> BITS) * value;
    if (this.#code < bound) {
      this.#range = bound;
      models[index] = value + (((1 << BITS) - value) >> SHIFT);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    models[index] = value - (value >> SHIFT);
    return 1;
  }

  /** Reads `count` bits without a model. */
  #direct(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      this.#normalise();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
    }
    return value;
  }

  #tree(models: Uint16Array, start: number, bits: number): number {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | this.#bit(models, start + node);
    return node - (1 << bits);
  }

  #reverseTree(models: Uint16Array, start: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(models, start + node);
      node = (node << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  #literal(origin: number): void {
    const out = this.#out;
    const position = out.length - origin;
    const previous = position === 0 ? 0 : out.before(1);
    const context = ((position & this.#literalMask) << this.#lc) + (previous >> (8 - this.#lc));
    const start = LITERAL_MODEL * context;
    let symbol = 1;
    if (this.#state >= 7) {
      let matched = out.before(this.#repeats[0] + 1);
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, start + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, start + symbol);
    out.push(symbol & 0xff);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** Decodes a match. Returns its length and leaves its distance in `repeats[0]`. A length of 0 is the end mark. */
  #match(position: number, endMark: boolean): number {
    const state = this.#state;
    const repeats = this.#repeats;
    if (this.#bit(this.#isRepeat, state) === 0) {
      const length = this.#length(this.#matchLength, position);
      const distance = this.#distance(length);
      if (distance === 0xffffffff) {
        if (!endMark) throw new InvalidDataError("LZMA: ended early");
        return 0;
      }
      this.#repeats = [distance, repeats[0], repeats[1], repeats[2]];
      this.#state = state < 7 ? 7 : 10;
      return length + MIN_MATCH;
    }
    if (this.#bit(this.#isRepeat0, state) === 0) {
      if (this.#bit(this.#isRepeat0Long, state * POSITIONS + position) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      let which = 1;
      if (this.#bit(this.#isRepeat1, state) === 1) which = 2 + this.#bit(this.#isRepeat2, state);
      const [distance] = repeats.splice(which, 1);
      repeats.unshift(distance);
    }
    this.#state = state < 7 ? 8 : 11;
    return this.#length(this.#repeatLength, position) + MIN_MATCH;
  }

  #length(models: LengthModel, position: number): number {
    if (this.#bit(models.choice, 0) === 0) return this.#tree(models.low, position << 3, 3);
    if (this.#bit(models.choice, 1) === 0) return 8 + this.#tree(models.middle, position << 3, 3);
    return 16 + this.#tree(models.high, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, LENGTH_STATES - 1) * SLOTS, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    // The models of slots 4 to 13 are stored in one array, shifted so that their trees do not overlap.
    if (slot < 14) return base + this.#reverseTree(this.#distances, base - slot, bits);
    return base + this.#direct(bits - ALIGN_BITS) * 16 + this.#reverseTree(this.#align, 0, ALIGN_BITS);
  }
}
