/** Input of the words and strings of an R file, in each of its three encodings: XDR, little-endian and ASCII. */

import { swapBytes } from "../../../kernels/values/byte-order.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { NA_INTEGER, NA_REAL_BITS } from "../model/value.js";
import { type ByteStream, joined } from "./byte-stream.js";

/**
 * The requests that a reading generator yields: a number asks for this many bytes at hand, memory asks to be filled with
 * the next bytes, a promise to be waited for. Between two requests, reading is ordinary synchronous code.
 */
export type Want = number | Uint8Array | Promise<unknown>;
export type Reading<T> = Generator<Want, T, unknown>;

export interface ItemInput {
  /** Tells whether `count` bytes can be read without waiting. */
  has(count: number): boolean;
  /** Returns the next integer; four bytes must be at hand. */
  int(): number;
  /** Returns the next string's bytes, valid until the next call; `length` bytes must be at hand. */
  chars(length: number): Uint8Array;
  ints(count: number): Reading<Int32Array<ArrayBuffer>>;
  reals(count: number): Reading<Float64Array<ArrayBuffer>>;
  raws(count: number): Reading<Uint8Array<ArrayBuffer>>;
  /** Fills memory with numbers of `size` bytes each; absent in ASCII, where words have no fixed size. */
  words?(bytes: Uint8Array, size: number): Reading<void>;
  /**
   * Checks a declared count before memory is taken for it.
   * @param bytes the fewest bytes that one element takes in XDR.
   * @throws {InvalidDataError} where the file cannot hold so many elements.
   */
  expect(count: number, bytes: number, what: string): void;
}

const EMPTY = new Uint8Array(0);

/** Input in XDR, whose words are big-endian, or in R's binary format with little-endian words. */
export class BinaryInput implements ItemInput {
  readonly #stream: ByteStream;
  #littleEndian = false;
  #buffer: Uint8Array = EMPTY;
  #view: DataView = new DataView(EMPTY.buffer);
  #at = 0;
  readonly #limit: number;
  #expected = 0;

  /** @param limit the most bytes that all vectors may take together. */
  constructor(stream: ByteStream, limit = Number.POSITIVE_INFINITY) {
    this.#stream = stream;
    this.#limit = limit;
  }

  /** Switches to little-endian words. */
  setLittleEndian(): void {
    this.#littleEndian = true;
  }

  /** Takes all bytes that are at hand. */
  rest(): Uint8Array {
    return this.chars(this.#atHand);
  }

  get #atHand(): number {
    return this.#buffer.length - this.#at;
  }

  has(count: number): boolean {
    return this.#atHand >= count;
  }

  int(): number {
    const value = this.#view.getInt32(this.#at, this.#littleEndian);
    this.#at += 4;
    return value;
  }

  chars(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    return this.#buffer.subarray(start, this.#at);
  }

  *ints(count: number): Reading<Int32Array<ArrayBuffer>> {
    const values = new Int32Array(count);
    yield* this.words(new Uint8Array(values.buffer), 4);
    return values;
  }

  *reals(count: number): Reading<Float64Array<ArrayBuffer>> {
    const values = new Float64Array(count);
    yield* this.words(new Uint8Array(values.buffer), 8);
    return values;
  }

  *raws(count: number): Reading<Uint8Array<ArrayBuffer>> {
    const values = new Uint8Array(count);
    yield* this.words(values, 1);
    return values;
  }

  *words(bytes: Uint8Array, size: number): Reading<void> {
    if (this.has(bytes.length)) bytes.set(this.chars(bytes.length));
    else yield bytes;
    if (!this.#littleEndian) swapBytes(bytes, size);
  }

  expect(count: number, bytes: number, what: string): void {
    const room = this.#atHand + this.#stream.room();
    if (count * bytes > room) {
      throw new InvalidDataError(`${what} of ${count} needs ${count * bytes} bytes, at most ${room} are left`);
    }
    this.#expected += count * bytes;
    if (this.#expected > this.#limit) {
      throw new UnsupportedError(
        `vectors of ${this.#expected} bytes and more, ${this.#limit} are allowed (maxVectorBytes)`,
      );
    }
  }

  /**
   * Supplies what a reading generator asked for.
   * @throws {InvalidDataError} where the stream ends before.
   */
  async supply(want: Want): Promise<void> {
    if (typeof want === "number") await this.#gather(want);
    else if (want instanceof Uint8Array) await this.#fill(want);
    else await want;
  }

  async #gather(count: number): Promise<void> {
    const parts = [this.#buffer.subarray(this.#at)];
    let length = parts[0].length;
    while (length < count) {
      const part = await this.#pull(length, count);
      parts.push(part);
      length += part.length;
    }
    this.#use(
      joined(
        parts.filter((part) => part.length > 0),
        length,
      ),
    );
  }

  async #fill(target: Uint8Array): Promise<void> {
    let filled = Math.min(this.#atHand, target.length);
    target.set(this.chars(filled));
    if (filled < target.length && this.#stream.fill !== undefined) {
      filled += await this.#stream.fill(target.subarray(filled));
      if (filled < target.length) throw endsEarly(filled, target.length);
      return;
    }
    while (filled < target.length) {
      const part = await this.#pull(filled, target.length);
      const used = Math.min(part.length, target.length - filled);
      target.set(part.subarray(0, used), filled);
      filled += used;
      if (used < part.length) this.#use(part.subarray(used));
    }
  }

  async #pull(found: number, wanted: number): Promise<Uint8Array> {
    const part = await this.#stream.pull();
    if (part === null) throw endsEarly(found, wanted);
    return part;
  }

  #use(buffer: Uint8Array): void {
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    this.#at = 0;
  }

  /**
   * Checks that the last value was the end. Reading up to the end also verifies the checksum of a compressed file.
   * @throws {InvalidDataError} where more bytes follow, or the checksum is wrong.
   */
  async end(): Promise<void> {
    if (this.#atHand > 0 || (await this.#stream.pull()) !== null) {
      throw new InvalidDataError("more bytes follow the R object");
    }
  }
}

function endsEarly(found: number, wanted: number): InvalidDataError {
  return new InvalidDataError(`truncated R object: ${wanted} more bytes are needed, ${found} are there`);
}

const BACKSLASH = 0x5c;

/** The bytes for letters behind a backslash. Any other character behind a backslash stands for itself. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, t: 9, v: 11, b: 8, r: 13, f: 12, a: 7 }).map(([letter, byte]) => [
    letter.charCodeAt(0),
    byte,
  ]),
);

/** The longest word of a number. */
const MAX_WORD = 128;

/** Input in ASCII: words between white space, and strings with escapes. All bytes are in memory. */
export class AsciiInput implements ItemInput {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  has(): boolean {
    return true;
  }

  int(): number {
    const word = this.#word();
    if (word === "NA") return NA_INTEGER;
    const value = /^-?\d{1,10}$/.test(word) ? Number(word) : Number.NaN;
    if (value !== (value | 0)) throw new InvalidDataError(`"${word}" is no integer`);
    return value;
  }

  chars(length: number): Uint8Array {
    this.#skipSpace();
    const decoded = new Uint8Array(length);
    for (let i = 0; i < length; i++) decoded[i] = this.#char();
    return decoded;
  }

  #char(): number {
    const byte = this.#byte();
    if (byte !== BACKSLASH) return byte;
    const escaped = this.#byte();
    if (!isOctal(escaped)) return ESCAPES.get(escaped) ?? escaped;
    let value = escaped - 0x30;
    for (let digits = 1; digits < 3 && isOctal(this.#bytes[this.#at]); digits++) {
      value = 8 * value + this.#bytes[this.#at++] - 0x30;
    }
    return value & 0xff;
  }

  ints(count: number): Reading<Int32Array<ArrayBuffer>> {
    const values = new Int32Array(count);
    for (let i = 0; i < count; i++) values[i] = this.int();
    return ready(values);
  }

  reals(count: number): Reading<Float64Array<ArrayBuffer>> {
    const values = new Float64Array(count);
    const bits = new BigUint64Array(values.buffer);
    for (let i = 0; i < count; i++) {
      const value = asciiReal(this.#word());
      if (typeof value === "bigint") bits[i] = value;
      else values[i] = value;
    }
    return ready(values);
  }

  raws(count: number): Reading<Uint8Array<ArrayBuffer>> {
    const values = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const word = this.#word();
      if (!/^[0-9a-f]{2}$/i.test(word)) throw new InvalidDataError(`"${word}" is no byte in hexadecimal`);
      values[i] = Number.parseInt(word, 16);
    }
    return ready(values);
  }

  expect(count: number, bytes: number, what: string): void {
    const left = this.#bytes.length - this.#at;
    // A word takes at least a character and a space; a character of a string takes one.
    const least = bytes === 1 ? count : 2 * count;
    if (least > left) throw new InvalidDataError(`${what} of ${count} needs ${least} characters, ${left} are left`);
  }

  /** @throws {InvalidDataError} where something other than white space follows. */
  end(): void {
    this.#skipSpace();
    if (this.#at < this.#bytes.length) throw new InvalidDataError("more bytes follow the R object");
  }

  #word(): string {
    this.#skipSpace();
    const start = this.#at;
    while (this.#at < this.#bytes.length && !isSpace(this.#bytes[this.#at])) {
      if (++this.#at - start > MAX_WORD) throw new InvalidDataError(`a word of more than ${MAX_WORD} characters`);
    }
    if (this.#at === start) throw new InvalidDataError("truncated R object: a word is missing");
    return String.fromCharCode(...this.#bytes.subarray(start, this.#at));
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new InvalidDataError("truncated R object: it ends inside a string");
    return this.#bytes[this.#at++];
  }

  #skipSpace(): void {
    while (this.#at < this.#bytes.length && isSpace(this.#bytes[this.#at])) this.#at++;
  }
}

/** Wraps values that are at hand already as a reading. */
function* ready<T>(values: T): Reading<T> {
  yield 0;
  return values;
}

/** Tells whether a byte is white space by C's `isspace`. */
function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

function isOctal(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x37;
}

const NAMED: ReadonlyMap<string, number | bigint> = new Map<string, number | bigint>([
  ["NA", NA_REAL_BITS],
  ["NaN", Number.NaN],
  ["Inf", Number.POSITIVE_INFINITY],
  ["-Inf", Number.NEGATIVE_INFINITY],
]);

/** The number formats. `saveRDS(ascii = NA)` writes C's `%a`, which is exact. */
const HEXADECIMAL = /^(-?)0x([0-9a-f])(?:\.([0-9a-f]{1,13}))?p([+-]\d{1,4})$/;
const DECIMAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/**
 * Parses the real number in a word. NA comes as its bits, since a number would lose them.
 * @throws {InvalidDataError} where the word is not a real number.
 */
export function asciiReal(word: string): number | bigint {
  const named = NAMED.get(word);
  if (named !== undefined) return named;
  if (DECIMAL.test(word)) return Number(word);
  const match = HEXADECIMAL.exec(word);
  if (match === null) throw new InvalidDataError(`"${word}" is no real number`);
  const [, sign, lead, fraction = "", exponent] = match;
  const digits = Number.parseInt(lead + fraction, 16);
  const scale = Number(exponent) - 4 * fraction.length;
  // Multiplying in two steps keeps both powers within the range of normal numbers.
  const value = digits * 2 ** Math.trunc(scale / 2) * 2 ** (scale - Math.trunc(scale / 2));
  if (!Number.isFinite(value)) throw new InvalidDataError(`"${word}" is beyond the largest real number`);
  return sign === "-" ? -value : value;
}
