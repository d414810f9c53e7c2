/** PLAIN encoding: consecutive values, little-endian. */

import type { PageBuffer } from "./page-buffer.js";

/** Returns the page body of values passed as 32-bit words: a view of the words. */
export function encodePlainWords(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Appends strings, each preceded by its length. Value i is `bytes[offsets[i] … offsets[i + 1]]`. */
export function encodePlainTexts(offsets: Int32Array, bytes: Uint8Array, count: number, out: PageBuffer): void {
  out.reserve(4 * count + offsets[count] - offsets[0]);
  const { bytes: target, view } = out;
  let at = out.length;
  for (let i = 0; i < count; i++) {
    const start = offsets[i];
    const end = offsets[i + 1];
    view.setUint32(at, end - start, true);
    at += 4;
    for (let k = start; k < end; k++) target[at++] = bytes[k];
  }
  out.length = at;
}
