import { InvalidDataError } from "../../../model/errors.js";
import { NA_INTEGER } from "../model/value.js";
import { asciiReal } from "./ascii-real.js";
import type { ItemInput, Reading } from "./item-input.js";

const BACKSLASH = 0x5c;

/** The byte that a letter behind a backslash stands for; other characters stand for themselves. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, t: 9, v: 11, b: 8, r: 13, f: 12, a: 7 }).map(([letter, byte]) => [
    letter.charCodeAt(0),
    byte,
  ]),
);

/** No word of a number is longer. */
const MAX_WORD = 128;

/** Words in between white space, strings with escapes. All bytes lie in memory. */
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
    // A word takes a character and a space, a character of a string one.
    const least = bytes === 1 ? count : 2 * count;
    if (least > left) throw new InvalidDataError(`${what} of ${count} needs ${least} characters, ${left} are left`);
  }

  /** @throws {InvalidDataError} where more than white space follows. */
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

/** Waits for nothing: that is at hand. */
function* ready<T>(values: T): Reading<T> {
  yield 0;
  return values;
}

/** As C's isspace. */
function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

function isOctal(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x37;
}
