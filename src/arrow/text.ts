/** Converts text and bytes to Utf8 and Binary, and back. */

import { convertLatin1ToUtf8, findInvalidText } from "../kernels/text/utf8.js";
import { computeValidity, isBitSet } from "../kernels/values/bitmap.js";
import { InvalidDataError, UnsupportedElementError } from "../model/errors.js";
import type { TextStorage, VariableValues } from "../model/stored.js";
import type { VariableColumn } from "./column.js";

/** How to handle text whose bytes are not UTF-8. */
export type TextFallback = "error" | "latin1";

/**
 * Makes a Utf8 column of stored text; its buffers are not copied.
 * @throws {InvalidDataError} if a value is not UTF-8 and `fallback` is `"error"`.
 */
export function toTextColumn(values: VariableValues, fallback: TextFallback): VariableColumn {
  const { offsets, bytes } = values;
  const type = { id: "Utf8" } as const;
  const length = offsets.length - 1;
  const invalid = findInvalidText(offsets, bytes);
  if (invalid < 0) return { layout: "variable", type, length, validity: null, offsets, bytes };
  if (fallback === "latin1")
    return { layout: "variable", type, length, validity: null, ...convertLatin1ToUtf8(offsets, bytes) };
  const hex = Array.from(bytes.subarray(offsets[invalid], offsets[invalid + 1]).subarray(0, 16), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join(" ");
  throw new InvalidDataError(
    `text ${invalid} of ${length} is not UTF-8 (bytes ${hex}); read it with text: "latin1" (--text latin1)`,
  );
}

export function createBinaryColumn({ offsets, bytes }: VariableValues): VariableColumn {
  return {
    layout: "variable",
    type: { id: "Binary" },
    length: offsets.length - 1,
    validity: null,
    offsets,
    bytes,
  };
}

/** Returns the values of a Utf8 column as strings, for names and small elements; null for nulls. */
export function decodeTextValues({ validity, bytes, offsets, length }: VariableColumn): (string | null)[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const [first, end] = [offsets[0], offsets[length]];
  // Calling the decoder costs as much as decoding a short text, so all texts are decoded at once. In ASCII, every
  // character is one byte.
  const whole = end - first <= MAX_AT_ONCE ? decoder.decode(bytes.subarray(first, end)) : "";
  const isAscii = whole.length === end - first;
  const text = isAscii
    ? (start: number, stop: number) => whole.slice(start - first, stop - first)
    : (start: number, stop: number) => decoder.decode(bytes.subarray(start, stop));
  return Array.from({ length }, (_, i) =>
    validity !== null && !isBitSet(validity.bitmap, i) ? null : text(offsets[i], offsets[i + 1]),
  );
}

/** Maximum number of bytes converted to one string, because substrings keep the whole string in memory. */
const MAX_AT_ONCE = 2 ** 24;

/** Makes a Utf8 column of strings; the value null becomes a null. */
export function createTextColumn(values: readonly (string | null)[]): VariableColumn {
  const { offsets, bytes } = encodedTexts(values);
  const validity = computeValidity(values.length, (i) => values[i] !== null);
  return { layout: "variable", type: { id: "Utf8" }, length: values.length, validity, offsets, bytes };
}

function encodedTexts(values: readonly (string | null)[]): {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
} {
  const encoder = new TextEncoder();
  const offsets = new Int32Array(values.length + 1);
  for (const [i, value] of values.entries()) offsets[i + 1] = offsets[i] + (value?.length ?? 0);
  // Only ASCII takes one byte per character. One call then encodes all values.
  const all = new Uint8Array(offsets[values.length]);
  const { read } = encoder.encodeInto(values.join(""), all);
  if (read === all.length) return { offsets, bytes: all };
  const parts = values.map((value) => encoder.encode(value ?? ""));
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  const bytes = new Uint8Array(offsets[values.length]);
  for (const [i, part] of parts.entries()) bytes.set(part, offsets[i]);
  return { offsets, bytes };
}

/**
 * Formats the safe integers `first`, `first + step`, … as decimal text.
 * @param length number of integers.
 */
export function formatDecimals(first: number, step: number, length: number): VariableColumn {
  const offsets = new Int32Array(length + 1);
  const widest = Math.max(String(first).length, String(first + step * Math.max(0, length - 1)).length);
  const bytes = new Uint8Array(length * widest);
  let at = 0;
  for (let i = 0; i < length; i++) {
    const value = first + step * i;
    let rest = Math.abs(value);
    if (value < 0) bytes[at++] = MINUS;
    const begin = at;
    // The digits are produced starting with the last one, and then reversed.
    do {
      const next = Math.floor(rest / 10);
      bytes[at++] = ZERO + (rest - 10 * next);
      rest = next;
    } while (rest > 0);
    for (let low = begin, high = at - 1; low < high; low++, high--) {
      const digit = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = digit;
    }
    offsets[i + 1] = at;
  }
  return { layout: "variable", type: { id: "Utf8" }, length, validity: null, offsets, bytes: bytes.subarray(0, at) };
}

const MINUS = 0x2d;
const ZERO = 0x30;

export function encodeStoredTexts(texts: readonly string[]): VariableValues {
  return toVariableValues(createTextColumn(texts));
}

/** Converts text or bytes to stored values. The stored bytes begin with the first value, and nulls become empty. */
export function toVariableValues({ offsets, bytes, length, validity }: VariableColumn): VariableValues {
  const first = offsets[0];
  const own = bytes.subarray(first, offsets[length]);
  const bitmap = validity === null || validity.nullCount === 0 ? null : validity.bitmap;
  const hidden = bitmap === null ? 0 : firstHidden(offsets, bitmap, length);
  if (bitmap === null || hidden < 0) {
    const rebased = offsets.subarray(0, length + 1);
    return { kind: "variable", offsets: first === 0 ? rebased : rebased.map((offset) => offset - first), bytes: own };
  }
  const out = new Uint8Array(own.length);
  const places = new Int32Array(length + 1);
  let at = 0;
  for (let i = 0; i < length; i++) {
    if (isBitSet(bitmap, i)) {
      out.set(bytes.subarray(offsets[i], offsets[i + 1]), at);
      at += offsets[i + 1] - offsets[i];
    }
    places[i + 1] = at;
  }
  return { kind: "variable", offsets: places, bytes: out.subarray(0, at) };
}

/** Cuts each text at its first NUL. */
export function cutTextsAtNul({ offsets, bytes }: VariableValues): VariableValues {
  const ends = new Int32Array(offsets.length);
  const kept = new Uint8Array(bytes.length);
  for (let i = 0; i < offsets.length - 1; i++) {
    const text = bytes.subarray(offsets[i], offsets[i + 1]);
    const nul = text.indexOf(0);
    const part = nul < 0 ? text : text.subarray(0, nul);
    kept.set(part, ends[i]);
    ends[i + 1] = ends[i] + part.length;
  }
  return { kind: "variable", offsets: ends, bytes: kept.subarray(0, ends[offsets.length - 1]) };
}

/** Returns the index of the first null that has bytes, or -1. */
function firstHidden(offsets: Int32Array, bitmap: Uint8Array, length: number): number {
  for (let i = 0; i < length; i++) if (offsets[i] !== offsets[i + 1] && !isBitSet(bitmap, i)) return i;
  return -1;
}

/**
 * Checks that each text would be read back unchanged from `storage`.
 * @throws {InvalidInputError} for text that is too long, that ends like the padding, or that is not ASCII although it
 * must be.
 */
export function checkFixedText({ offsets, bytes }: VariableValues, storage: TextStorage): void {
  if (storage.form !== "fixed") return;
  const { encoding, width, padding } = storage;
  for (let i = 0; i < offsets.length - 1; i++) {
    const text = bytes.subarray(offsets[i], offsets[i + 1]);
    const size = encoding === "utf-32" ? 4 * codePoints(text) : text.length;
    if (size > width) {
      throw new UnsupportedElementError(`text ${i} takes ${size} bytes, its fixed storage has ${width}; ${REMEDY}`);
    }
    if (encoding === "ascii" && text.some((byte) => byte > 127)) {
      throw new UnsupportedElementError(`text ${i} is not ASCII, as its fixed storage is; ${REMEDY}`);
    }
    const last = text.at(-1);
    const lost = padding === "nullterm" ? text.includes(0) : last === 0 || (padding === "spacepad" && last === 0x20);
    if (lost) {
      throw new UnsupportedElementError(
        `text ${i} would lose the end that looks like its ${padding} padding; ${REMEDY}`,
      );
    }
  }
}

const REMEDY = "take storage out of the field's metadata to write text of variable length";

function codePoints(text: Uint8Array): number {
  let count = 0;
  for (const byte of text) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}
