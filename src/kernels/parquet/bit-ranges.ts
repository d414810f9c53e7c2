/**
 * Joins the bits of several bitmaps into one bitmap that starts at its first bit. The least significant bit comes
 * first.
 */

import type { PageBuffer } from "./page-buffer.js";

/** `length` bits starting at bit `offset` of `bits`. Null means that all bits are set. */
export interface BitRange {
  readonly bits: Uint8Array | null;
  readonly offset: number;
  readonly length: number;
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => countBits(byte));

function countBits(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

/** Appends `runs` consecutively and pads the last byte with 0. Returns the number of set bits. */
export function appendBits(runs: Iterable<BitRange>, out: PageBuffer): number {
  let byte = 0;
  let used = 0;
  let set = 0;
  for (const { bits, offset, length } of runs) {
    out.reserve((length >> 3) + 2);
    const { bytes } = out;
    let at = out.length;
    let i = offset;
    const end = offset + length;
    const bit = () => {
      const value = bits === null ? 1 : (bits[i >> 3] >> (i & 7)) & 1;
      set += value;
      byte |= value << used;
      i++;
      if (++used === 8) {
        bytes[at++] = byte;
        byte = 0;
        used = 0;
      }
    };
    while (used !== 0 && i < end) bit();
    if (bits === null) {
      const whole = (end - i) >> 3;
      bytes.fill(255, at, at + whole);
      set += 8 * whole;
      at += whole;
      i += 8 * whole;
    } else {
      const shift = i & 7;
      for (; i + 8 <= end; i += 8) {
        const from = i >> 3;
        const next = shift === 0 ? bits[from] : ((bits[from] >> shift) | (bits[from + 1] << (8 - shift))) & 255;
        bytes[at++] = next;
        set += ONES[next];
      }
    }
    while (i < end) bit();
    out.length = at;
  }
  if (used > 0) out.byte(byte);
  return set;
}

/** Counts the set bits among [from, to). */
export function countSet(bits: Uint8Array, from: number, to: number): number {
  let set = 0;
  let i = from;
  for (; i < to && (i & 7) !== 0; i++) set += (bits[i >> 3] >> (i & 7)) & 1;
  for (; i + 8 <= to; i += 8) set += ONES[bits[i >> 3]];
  for (; i < to; i++) set += (bits[i >> 3] >> (i & 7)) & 1;
  return set;
}
