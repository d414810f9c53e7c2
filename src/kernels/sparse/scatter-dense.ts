/** Entries of a sparse matrix put into a dense block. */

import type { IntArray } from "../../model/stored.js";

/** The words as which values of any width are moved; a 64-bit value is two words of 32 bits. */
export type DenseWords = Uint8Array | Uint16Array | Uint32Array;

/** Returns the end of the run of equal positions that begins at `from`. */
export function runEnd(positions: IntArray, from: number): number {
  const own = positions[from];
  let to = from + 1;
  while (to < positions.length && positions[to] === own) to++;
  return to;
}

/**
 * Puts the entries [from, to) of one list to their places: entry i to `base + minor[i] * step`.
 * @param per words to a value, 1 or 2.
 * @returns the first entry whose place already has a non-zero value, or `to`. This entry and later ones are not put.
 */
export function scatterList(
  block: DenseWords,
  base: number,
  step: number,
  minor: IntArray,
  values: DenseWords,
  from: number,
  to: number,
  per: number,
): number {
  if (per === 1) {
    for (let i = from; i < to; i++) {
      const at = base + Number(minor[i]) * step;
      if (block[at] !== 0) return i;
      block[at] = values[i];
    }
    return to;
  }
  for (let i = from; i < to; i++) {
    const at = 2 * (base + Number(minor[i]) * step);
    if (block[at] !== 0 || block[at + 1] !== 0) return i;
    block[at] = values[2 * i];
    block[at + 1] = values[2 * i + 1];
  }
  return to;
}
