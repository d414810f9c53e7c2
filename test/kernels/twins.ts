/** Slow and obvious versions of the kernels, one value at a time. */

import type { Padding } from "../../src/kernels/text/fixed-text.js";
import type { IntArray } from "../../src/model/stored.js";

/** Bit i of the answer says whether `bits[i]` is true. */
export function slowBitmap(bits: readonly boolean[]): number[] {
  const bytes: number[] = [];
  bits.forEach((bit, i) => {
    if (i % 8 === 0) bytes.push(0);
    if (bit) bytes[bytes.length - 1] += 2 ** (i % 8);
  });
  return bytes;
}

export function slowIsUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/**
 * Length of the longest prefix that some valid text begins with, whole characters only; -1 where all is valid.
 */
export function slowFirstInvalidUtf8(bytes: Uint8Array): number {
  if (slowIsUtf8(bytes)) return -1;
  let valid = 0;
  for (let end = 1; end <= bytes.length; end++) if (slowIsUtf8(bytes.subarray(0, end))) valid = end;
  return valid;
}

/** The values of a column of text as byte strings. */
export function slowTexts(offsets: Int32Array, bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: offsets.length - 1 }, (_, i) => bytes.slice(offsets[i], offsets[i + 1]));
}

export function slowLatin1(value: Uint8Array): string {
  return slowIsUtf8(value)
    ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(value)
    : Array.from(value, (byte) => String.fromCodePoint(byte)).join("");
}

export function slowPointers(pointers: IntArray): number[] {
  return Array.from<number | bigint, number>(pointers, (pointer) =>
    typeof pointer === "bigint" && pointer >= 2n ** 53n ? Number.POSITIVE_INFINITY : Number(pointer),
  );
}

/** The major position of every entry of a compressed matrix. */
export function slowMajors(pointers: readonly number[]): number[] {
  return pointers.slice(1).flatMap((end, major) => Array.from({ length: end - pointers[major] }, () => major));
}

/** The number that the 16 bits of a half stand for, by the formula of IEEE 754 in exact arithmetic. */
export function slowHalf(bits: number): number {
  const text = bits.toString(2).padStart(16, "0");
  const exponent = Number.parseInt(text.slice(1, 6), 2);
  const digits = text.slice(6);
  const fraction = Array.from(digits).reduce((sum, digit, i) => sum + Number(digit) / 2 ** (i + 1), 0);
  const sign = text[0] === "1" ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign / 0 : Number.NaN;
  return exponent === 0 ? (sign * fraction) / 2 ** 14 : sign * (1 + fraction) * 2 ** (exponent - 15);
}

/** A value of fixed width as libhdf5 and numpy give it. */
export function slowUnpadded(value: Uint8Array, padding: Padding): number[] {
  const bytes = Array.from(value);
  if (padding === "nullterm") return bytes.includes(0) ? bytes.slice(0, bytes.indexOf(0)) : bytes;
  while (padding === "spacepad" && bytes.at(-1) === 0x20) bytes.pop();
  while (bytes.at(-1) === 0) bytes.pop();
  return bytes;
}
