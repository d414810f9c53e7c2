/** Writes the entries of a sparse matrix into a dense block. */

import type { IntArray } from "../../model/stored.js";

/** The words for moving values of any width. A 64-bit value is moved as two 32-bit words. */
export type DenseWords = Uint8Array | Uint16Array | Uint32Array;

/** Returns the end of the run of equal positions that begins at `from`. */
export function runEnd(positions: IntArray, from: number): number {
  const own = positions[from];
  let to = from + 1;
  while (to < positions.length && positions[to] === own) to++;
  return to;
}

/**
 * Writes the entries [from, to) of one list to their positions: entry i to `base + minor[i] * step`.
 * @param per words per value, 1 or 2.
 * @returns the first entry whose position already has a non-zero value, or `to`. This entry and later ones are not
 * written.
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
