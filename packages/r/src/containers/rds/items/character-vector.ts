import { InvalidDataError, UnsupportedError } from "annarrow";
import type { ItemInput, Reading } from "../input/item-input.js";
import { BYTES_LEVEL, HAS_ATTRIBUTES, LATIN1_LEVEL, LEVELS_SHIFT, SEXP, UTF8_LEVEL } from "../model/sexp-type.js";
import { BYTES, LATIN1, MISSING, NATIVE, type RText, UTF8 } from "../model/text.js";
import { createUnreadableValue, createValueOrUnreadable, NO_ATTRIBUTES, type RValue } from "../model/value.js";

/** Reads the length of a vector. -1 means that a length of more than 31 bits follows in two words. */
export function* readLength(input: ItemInput): Reading<number> {
  if (!input.has(4)) yield 4;
  const length = input.int();
  if (length >= 0) return length;
  if (length !== -1) throw new InvalidDataError(`a vector of length ${length}`);
  if (!input.has(8)) yield 8;
  const high = input.int();
  const low = input.int() >>> 0;
  if (high < 0 || high > 65536) throw new InvalidDataError(`a vector of length ${high} * 2^32 and more`);
  return high * 2 ** 32 + low;
}

/**
 * Reads a character vector. If its strings cannot be stored or decoded, the vector is read to its end and becomes an
 * unreadable value.
 */
export function* readText(input: ItemInput, length: number, native: NativeDecoder): Reading<RValue> {
  input.expect(length, 8, "a character vector");
  const builder = new CharacterBuilder(length);
  let failure: RValue | null = null;
  for (let i = 0; i < length; i++) {
    // The loop does not call `readChars`, because creating a generator for each string takes longer than reading it.
    if (!input.has(8)) yield 8;
    const size = readHead(input);
    if (size.bytes > 0 && !input.has(size.bytes)) yield size.bytes;
    const chars = input.chars(Math.max(0, size.bytes));
    if (failure !== null) continue;
    try {
      if (size.bytes < 0) builder.addMissing();
      else {
        const { bytes, encoding } = toNative(chars, getStringEncoding(size.levels), native);
        builder.add(bytes, encoding);
      }
    } catch (error) {
      failure = createUnreadableValue(error);
    }
  }
  if (failure !== null) return failure;
  return createValueOrUnreadable(() => {
    const text = builder.finish();
    if (text.bytes.includes(0)) throw new InvalidDataError("a string with a NUL, which R cannot hold");
    return { kind: "character", text, attributes: NO_ATTRIBUTES };
  });
}

/** Skips a string whose flags were already read. */
export function* skipChars(input: ItemInput): Reading<void> {
  if (!input.has(4)) yield 4;
  const bytes = readSize(input);
  if (bytes > 0 && !input.has(bytes)) yield bytes;
  input.chars(Math.max(0, bytes));
}

/** Reads one string; null for NA. Its bytes are valid until the next read. */
export function* readChars(
  input: ItemInput,
  native: NativeDecoder,
): Reading<{ readonly bytes: Uint8Array; readonly encoding: number } | null> {
  if (!input.has(8)) yield 8;
  const size = readHead(input);
  if (size.bytes < 0) return null;
  if (!input.has(size.bytes)) yield size.bytes;
  return toNative(input.chars(size.bytes), getStringEncoding(size.levels), native);
}

function readHead(input: ItemInput): { readonly bytes: number; readonly levels: number } {
  const flags = input.int();
  if ((flags & 0xff) !== SEXP.chars || flags & HAS_ATTRIBUTES) {
    throw new InvalidDataError(`flags 0x${(flags >>> 0).toString(16)} where a string (CHARSXP) belongs`);
  }
  return { bytes: readSize(input), levels: flags >>> LEVELS_SHIFT };
}

/** Returns the number of bytes in a string; -1 for NA. */
function readSize(input: ItemInput): number {
  const bytes = input.int();
  if (bytes < -1) throw new InvalidDataError(`a string of length ${bytes}`);
  if (bytes > 0) input.expect(bytes, 1, "a string");
  return bytes;
}

function toNative(bytes: Uint8Array, encoding: number, native: NativeDecoder) {
  if (encoding !== NATIVE || native === null) return { bytes, encoding };
  const converted = native(bytes);
  return { bytes: converted, encoding: converted === bytes ? NATIVE : UTF8 };
}

const MAX_BYTES = 2 ** 31 - 1;

/** Collects the strings of a vector one by one in a single byte array. */
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

  /** @throws {UnsupportedError} if the total length of all strings exceeds the maximum. */
  add(bytes: Uint8Array, encoding: number): void {
    const end = this.#end + bytes.length;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(bytes, this.#end);
    this.#close(end, encoding);
  }

  addMissing(): void {
    this.#close(this.#end, MISSING);
  }

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

/** Returns the encoding that the flags (levels) of a string specify. */
function getStringEncoding(levels: number): number {
  if (levels & UTF8_LEVEL) return UTF8;
  if (levels & LATIN1_LEVEL) return LATIN1;
  return levels & BYTES_LEVEL ? BYTES : NATIVE;
}

/** Converts strings without an encoding flag to UTF-8; null if they already are UTF-8. */
export type NativeDecoder = ((bytes: Uint8Array) => Uint8Array) | null;

/** R's names for UTF-8 and for ASCII, a subset of UTF-8. */
const ASCII = /^(|utf-?8|us-ascii|ascii|ansi_x3\.4-1968|646|posix|c)$/i;

/** Returns the decoder for native strings. Files of version 3 state their encoding, taken from the writer's locale. */
export function createNativeDecoder(encoding: string): NativeDecoder {
  if (ASCII.test(encoding)) return null;
  const decoder = findDecoder(encoding);
  const encoder = new TextEncoder();
  return (bytes) => {
    if (bytes.every((byte) => byte < 0x80)) return bytes;
    if (decoder === null) throw new UnsupportedError(`strings in the encoding "${encoding}"`);
    return encoder.encode(decoder.decode(bytes));
  };
}

function findDecoder(encoding: string): TextDecoder | null {
  // Windows code pages have other names here: CP1252 is windows-1252.
  const label = encoding.replace(/^cp(?=125\d$)/i, "windows-");
  try {
    return new TextDecoder(label, { ignoreBOM: true });
  } catch {
    return null;
  }
}
