/** ASCII input: words separated by white space, and strings with escapes. */

import { InvalidDataError } from "annarrow";
import { NA_INTEGER, NA_REAL_BITS } from "../model/value.js";
import type { BufferedStream } from "./buffered-stream.js";
import type { ItemInput, Reading, Want } from "./item-input.js";

const BACKSLASH = 0x5c;

/** The bytes for letters after a backslash. Any other character after a backslash represents itself. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, t: 9, v: 11, b: 8, r: 13, f: 12, a: 7 }).map(([letter, byte]) => [
    letter.charCodeAt(0),
    byte,
  ]),
);

/** Maximum length of a number word. */
const MAX_WORD = 128;

/** Maximum number of characters between two words. R writes one character, which Windows may convert to two. */
const MAX_SPACE = 128;

/**
 * Returns the maximum number of characters that represent `count` bytes of XDR: four per string byte, and at most three
 * words in total.
 */
function charactersOf(count: number): number {
  return 4 * count + 3 * (MAX_WORD + MAX_SPACE) + MAX_SPACE;
}

export class AsciiInput implements ItemInput {
  readonly #bytes: BufferedStream;

  constructor(bytes: BufferedStream) {
    this.#bytes = bytes;
  }

  has(count: number): boolean {
    return this.#bytes.atHand >= charactersOf(count) || this.#bytes.isEnded;
  }

  int(): number {
    const word = this.#word();
    if (word === "NA") return NA_INTEGER;
    const value = /^-?\d{1,10}$/.test(word) ? Number(word) : Number.NaN;
    if (value !== (value | 0)) throw new InvalidDataError(`"${word}" is no integer`);
    return value;
  }

  chars(length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
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
    for (let digits = 1; digits < 3 && isOctal(this.#bytes.peek()); digits++) {
      value = 8 * value + this.#byte() - 0x30;
    }
    return value & 0xff;
  }

  *ints(count: number): Reading<Int32Array<ArrayBuffer>> {
    const values = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      if (!this.has(4)) yield 4;
      values[i] = this.int();
    }
    return values;
  }

  *reals(count: number): Reading<Float64Array<ArrayBuffer>> {
    const values = new Float64Array(count);
    const bits = new BigUint64Array(values.buffer);
    for (let i = 0; i < count; i++) {
      if (!this.has(8)) yield 8;
      const value = parseAsciiReal(this.#word());
      if (typeof value === "bigint") bits[i] = value;
      else values[i] = value;
    }
    return values;
  }

  *raws(count: number): Reading<Uint8Array<ArrayBuffer>> {
    const values = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      if (!this.has(1)) yield 1;
      const word = this.#word();
      if (!/^[0-9a-f]{2}$/i.test(word)) throw new InvalidDataError(`"${word}" is no byte in hexadecimal`);
      values[i] = Number.parseInt(word, 16);
    }
    return values;
  }

  expect(count: number, bytes: number, what: string): void {
    const left = this.#bytes.room();
    // A word takes at least one character and a space; a byte of a string takes at least one character.
    const least = bytes === 1 ? count : 2 * count;
    if (least > left) throw new InvalidDataError(`${what} of ${count} needs ${least} characters, ${left} are left`);
    this.#bytes.count(count * bytes);
  }

  async supply(want: Want): Promise<void> {
    if (typeof want === "number") await this.#bytes.gatherSome(charactersOf(want));
    else if (want instanceof Uint8Array) throw new TypeError("words of ASCII have no fixed size");
    else await want;
  }

  async end(): Promise<void> {
    do {
      while (isSpace(this.#bytes.peek())) this.#bytes.byte();
      if (this.#bytes.atHand > 0) throw new InvalidDataError("more bytes follow the R object");
      await this.#bytes.gatherSome(1);
    } while (this.#bytes.atHand > 0);
  }

  #word(): string {
    this.#skipSpace();
    let word = "";
    for (let byte = this.#bytes.peek(); byte !== undefined && !isSpace(byte); byte = this.#bytes.peek()) {
      if (word.length === MAX_WORD) throw new InvalidDataError(`a word of more than ${MAX_WORD} characters`);
      word += String.fromCharCode(byte);
      this.#bytes.byte();
    }
    if (word === "") throw new InvalidDataError("truncated R object: a word is missing");
    return word;
  }

  #byte(): number {
    const byte = this.#bytes.byte();
    if (byte === undefined) throw new InvalidDataError("truncated R object: it ends inside a string");
    return byte;
  }

  #skipSpace(): void {
    for (let count = 0; isSpace(this.#bytes.peek()); count++) {
      if (count === MAX_SPACE) throw new InvalidDataError(`white space of more than ${MAX_SPACE} characters`);
      this.#bytes.byte();
    }
  }
}

/** True if a byte is white space according to C's `isspace`. */
function isSpace(byte: number | undefined): boolean {
  return byte !== undefined && (byte === 32 || (byte >= 9 && byte <= 13));
}

function isOctal(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x37;
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
 * Parses the real number in a word. NA is returned as its bits, because a number would lose them.
 * @throws {InvalidDataError} if the word is not a real number.
 */
function parseAsciiReal(word: string): number | bigint {
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
