/** The strings of a character vector in a single byte array, without a string object per element. */

import { InvalidInputError } from "annarrow";
import { convertLatin1ToUtf8, findInvalidText, findInvalidUtf8 } from "annarrow/core/kernels";
import type { VariableValues } from "annarrow/core/model";

/**
 * The encodings of strings, based on R's flags. `NATIVE` is UTF-8 or an unknown encoding (in files of version 2, and
 * for strings created by C code). R's flag for ASCII is not stored, because it follows from the bytes. `MISSING` is
 * `NA_character_`.
 */
export const NATIVE = 0;
export const UTF8 = 1;
export const LATIN1 = 2;
export const BYTES = 3;
export const MISSING = 255;

/** Strings. String i is `bytes[offsets[i] … offsets[i + 1]]` in the encoding `encodings[i]`. */
export interface RText {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  readonly encodings: Uint8Array;
}

export function countTextStrings(text: RText): number {
  return text.encodings.length;
}

/** Decodes string `index`; null for NA. Invalid UTF-8 is read as Latin-1. */
export function decodeStringAt(text: RText, index: number): string | null {
  if (text.encodings[index] === MISSING) return null;
  const bytes = text.bytes.subarray(text.offsets[index], text.offsets[index + 1]);
  return decodeString(bytes, text.encodings[index]);
}

export function decodeString(bytes: Uint8Array, encoding: number): string {
  if (encoding !== LATIN1 && findInvalidUtf8(bytes) < 0) return UTF8_DECODER.decode(bytes);
  return decodeLatin1(bytes);
}

function decodeLatin1(bytes: Uint8Array): string {
  let decoded = "";
  for (let at = 0; at < bytes.length; at += 4096) decoded += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return decoded;
}

// A byte order mark is kept, as a character of the name.
const UTF8_DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Converts all strings to UTF-8, following the rules of `decodeStringAt`; NA becomes an empty string. */
export function toUtf8Values(text: RText): VariableValues {
  const { offsets, bytes } = text;
  if (!text.encodings.includes(LATIN1)) {
    return {
      kind: "variable",
      ...(findInvalidText(offsets, bytes) < 0 ? { offsets, bytes } : convertLatin1ToUtf8(offsets, bytes)),
    };
  }
  const { offsets: to, bytes: utf8 } = encodeStrings(Array.from(text.encodings, (_, i) => decodeStringAt(text, i)));
  return { kind: "variable", offsets: to, bytes: utf8 };
}

/**
 * Encodes strings; null is a missing string.
 * @throws {InvalidInputError} for a string with a NUL or half a surrogate pair, and for a total of 2 GiB or more.
 */
export function encodeStrings(strings: readonly (string | null)[]): RText {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const offsets = new Int32Array(strings.length + 1);
  const encodings = new Uint8Array(strings.length);
  let length = 0;
  for (const [i, value] of strings.entries()) {
    if (value === null) encodings[i] = MISSING;
    else {
      if (value.includes("\0")) throw new InvalidInputError(`string ${i} has a NUL, which R cannot hold`);
      if (/\p{Surrogate}/u.test(value)) throw new InvalidInputError(`string ${i} has half a surrogate pair`);
      const bytes = encoder.encode(value);
      encodings[i] = bytes.length === value.length ? NATIVE : UTF8;
      parts.push(bytes);
      length += bytes.length;
      if (length >= 2 ** 31) throw new InvalidInputError("the strings of one vector take 2 GiB or more");
    }
    offsets[i + 1] = length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { offsets, bytes, encodings };
}
