import { UnsupportedError } from "../../../model/errors.js";
import { BYTES_LEVEL, LATIN1_LEVEL, UTF8_LEVEL } from "../model/sexp-type.js";
import { BYTES, LATIN1, MISSING, NATIVE, type RText, UTF8 } from "../model/text.js";

const MAX_BYTES = 2 ** 31 - 1;

/** Takes the strings of a vector one by one into one run of bytes. */
export class CharacterBuilder {
  readonly #offsets: Int32Array;
  readonly #encodings: Uint8Array;
  #bytes = new Uint8Array(256);
  #count = 0;
  #end = 0;

  constructor(count: number) {
    this.#offsets = new Int32Array(count + 1);
    this.#encodings = new Uint8Array(count);
  }

  /** @throws {UnsupportedError} where all together are more than one text can hold. */
  add(bytes: Uint8Array, encoding: number): void {
    const end = this.#end + bytes.length;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(bytes, this.#end);
    this.#close(end, encoding);
  }

  addMissing(): void {
    this.#close(this.#end, MISSING);
  }

  /** A string of ASCII. */
  addAscii(text: string): void {
    const end = this.#end + text.length;
    if (end > this.#bytes.length) this.#grow(end);
    for (let i = 0; i < text.length; i++) this.#bytes[this.#end + i] = text.charCodeAt(i);
    this.#close(end, NATIVE);
  }

  #close(end: number, encoding: number): void {
    this.#encodings[this.#count++] = encoding;
    this.#offsets[this.#count] = end;
    this.#end = end;
  }

  #grow(needed: number): void {
    if (needed > MAX_BYTES) throw new UnsupportedError(`a character vector of ${needed} bytes and more`);
    const larger = new Uint8Array(Math.max(needed, Math.min(2 * this.#bytes.length, MAX_BYTES)));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }

  finish(): RText {
    return { offsets: this.#offsets, bytes: this.#bytes.slice(0, this.#end), encodings: this.#encodings };
  }
}

/** What the levels of a string say of its encoding. */
export function encodingOf(levels: number): number {
  if (levels & UTF8_LEVEL) return UTF8;
  if (levels & LATIN1_LEVEL) return LATIN1;
  return levels & BYTES_LEVEL ? BYTES : NATIVE;
}
