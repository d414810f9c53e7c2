import { InvalidDataError } from "../../../model/errors.js";
import type { ItemInput, Reading } from "../input/item-input.js";
import { HAS_ATTRIBUTES, LEVELS_SHIFT, SEXP } from "../model/sexp-type.js";
import { NATIVE, type RText, UTF8 } from "../model/text.js";
import { CharacterBuilder, encodingOf } from "./character-builder.js";
import type { NativeDecoder } from "./native-encoding.js";

/** The length of a vector: -1 announces one of more than 31 bits, in two words. */
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

/** The strings of a character vector. */
export function* readText(input: ItemInput, length: number, native: NativeDecoder): Reading<RText> {
  input.expect(length, 8, "a character vector");
  const builder = new CharacterBuilder(length);
  for (let i = 0; i < length; i++) {
    // Without a generator per string.
    if (!input.has(8)) yield 8;
    const size = readHead(input);
    if (size.bytes < 0) builder.addMissing();
    else {
      if (!input.has(size.bytes)) yield size.bytes;
      const { bytes, encoding } = toNative(input.chars(size.bytes), encodingOf(size.levels), native);
      builder.add(bytes, encoding);
    }
  }
  const text = builder.finish();
  if (text.bytes.includes(0)) throw new InvalidDataError("a string with a NUL, which R cannot hold");
  return text;
}

/** One string, null for the missing one. Its bytes are valid until more are read. */
export function* readChars(
  input: ItemInput,
  native: NativeDecoder,
): Reading<{ readonly bytes: Uint8Array; readonly encoding: number } | null> {
  if (!input.has(8)) yield 8;
  const size = readHead(input);
  if (size.bytes < 0) return null;
  if (!input.has(size.bytes)) yield size.bytes;
  return toNative(input.chars(size.bytes), encodingOf(size.levels), native);
}

function readHead(input: ItemInput): { readonly bytes: number; readonly levels: number } {
  const flags = input.int();
  if ((flags & 0xff) !== SEXP.chars || flags & HAS_ATTRIBUTES) {
    throw new InvalidDataError(`flags 0x${(flags >>> 0).toString(16)} where a string (CHARSXP) belongs`);
  }
  const bytes = input.int();
  if (bytes < -1) throw new InvalidDataError(`a string of length ${bytes}`);
  if (bytes > 0) input.expect(bytes, 1, "a string");
  return { bytes, levels: flags >>> LEVELS_SHIFT };
}

function toNative(bytes: Uint8Array, encoding: number, native: NativeDecoder) {
  if (encoding !== NATIVE || native === null) return { bytes, encoding };
  const converted = native(bytes);
  return { bytes: converted, encoding: converted === bytes ? NATIVE : UTF8 };
}
