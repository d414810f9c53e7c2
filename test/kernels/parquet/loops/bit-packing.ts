/** Encodes numbers of `width` bits consecutively, least significant bit first. */

import type { PageBuffer } from "../../../../src/kernels/parquet/page-buffer.js";

/**
 * Appends `values[from … from + count)` minus `base` (modulo 2^32).
 * @param count a multiple of 8.
 * @param width bits of a value, 0 … 32; every value minus `base` fits.
 */
export function packInt32(
  values: Int32Array,
  from: number,
  count: number,
  base: number,
  width: number,
  out: PageBuffer,
): void {
  if (width === 0) return;
  out.reserve(((count * width) >> 3) + 4);
  const { view } = out;
  let at = out.length;
  let word = 0;
  let used = 0;
  // Packs as many values at a time (four, two or one) as surely fit in 32 bits.
  const together = width <= 8 ? 4 : width <= 16 ? 2 : 1;
  const bits = together * width;
  for (let i = from; i < from + count; i += together) {
    let next = (values[i] - base) | 0;
    if (together > 1) next |= (values[i + 1] - base) << width;
    if (together > 2) next |= ((values[i + 2] - base) << (2 * width)) | ((values[i + 3] - base) << (3 * width));
    word |= next << used;
    used += bits;
    if (used >= 32) {
      view.setInt32(at, word, true);
      at += 4;
      used -= 32;
      word = used === 0 ? 0 : next >>> (bits - used);
    }
  }
  out.length = at;
  flush(word, used, out);
}

/** Appends the indices of `groups` groups of 8, from group `first` on. `width` is at most 16. */
export function packUint16(values: Uint16Array, first: number, groups: number, width: number, out: PageBuffer): void {
  if (width === 0) return;
  out.reserve(groups * width + 4);
  const { view } = out;
  let at = out.length;
  let word = 0;
  let used = 0;
  const together = width <= 8 ? 4 : 2;
  const bits = together * width;
  const end = 8 * (first + groups);
  for (let i = 8 * first; i < end; i += together) {
    let next = values[i] | (values[i + 1] << width);
    if (together === 4) next |= (values[i + 2] << (2 * width)) | (values[i + 3] << (3 * width));
    word |= next << used;
    used += bits;
    if (used >= 32) {
      view.setInt32(at, word, true);
      at += 4;
      used -= 32;
      word = used === 0 ? 0 : next >>> (bits - used);
    }
  }
  out.length = at;
  flush(word, used, out);
}

/**
 * Appends `count` 64-bit values, given as halves.
 * @param width bits of a value, 33 … 64.
 */
export function packInt64(
  low: Int32Array,
  high: Int32Array,
  from: number,
  count: number,
  width: number,
  out: PageBuffer,
) {
  out.reserve(((count * width) >> 3) + 4);
  const { view } = out;
  let at = out.length;
  let word = 0;
  let used = 0;
  const upper = width - 32;
  for (let i = from; i < from + count; i++) {
    // The lower half always completes a word.
    view.setInt32(at, word | (low[i] << used), true);
    at += 4;
    word = used === 0 ? 0 : low[i] >>> (32 - used);
    const value = high[i];
    word |= value << used;
    used += upper;
    if (used >= 32) {
      view.setInt32(at, word, true);
      at += 4;
      used -= 32;
      word = used === 0 ? 0 : value >>> (upper - used);
    }
  }
  out.length = at;
  flush(word, used, out);
}

function flush(word: number, used: number, out: PageBuffer): void {
  for (let rest = word, bits = used; bits > 0; bits -= 8, rest >>>= 8) out.byte(rest & 255);
}
