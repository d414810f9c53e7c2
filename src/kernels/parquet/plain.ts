/** PLAIN: the values one after the other, little-endian; booleans as bits. */

import type { PageBuffer } from "./page-buffer.js";

/** The page body of values given as their 32-bit words: a view of them. */
export function plainWords(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Values of booleans, one bit each, from bit `offset` of `bits` on. */
export interface BitRun {
  readonly bits: Uint8Array;
  readonly offset: number;
  readonly length: number;
}

/** Appends the page body of booleans; `runs` follow each other. Returns how many are true. */
export function plainBits(runs: Iterable<BitRun>, out: PageBuffer): number {
  let byte = 0;
  let used = 0;
  let set = 0;
  for (const { bits, offset, length } of runs) {
    out.reserve((length >> 3) + 2);
    for (let i = offset; i < offset + length; i++) {
      const bit = (bits[i >> 3] >> (i & 7)) & 1;
      set += bit;
      byte |= bit << used;
      if (++used === 8) {
        out.bytes[out.length++] = byte;
        byte = 0;
        used = 0;
      }
    }
  }
  if (used > 0) out.byte(byte);
  return set;
}
