/** Entries of a block, distributed over bands of one of their coordinates. */

import { countBands, placeInBands, scatterWords } from "../kernels/sparse/scatter.js";
import type { EntryBlock } from "./entry-block.js";

/** The coordinates that entries may have: [start, end) of each. */
export interface CoordinateBounds {
  readonly major: readonly [start: number, end: number];
  readonly minor: readonly [start: number, end: number];
}

/** Which coordinate the bands are of, the first one's start, and their width 2^shift. */
export interface Bands {
  readonly key: "major" | "minor";
  readonly first: number;
  readonly end: number;
  readonly shift: number;
  readonly count: number;
}

/** At most `most` bands over a range: of the major coordinate, or of the minor one where there is but one major. */
export function bandsOf(range: CoordinateBounds, most: number): Bands {
  const key = range.major[1] - range.major[0] > 1 ? "major" : "minor";
  const [first, end] = range[key];
  let shift = 0;
  while (Math.ceil((end - first) / 2 ** shift) > most) shift++;
  return { key, first, end, shift, count: Math.max(1, Math.ceil((end - first) / 2 ** shift)) };
}

/** The part of `range` in which the bands [from, to) lie. */
export function rangeOfBands(range: CoordinateBounds, bands: Bands, from: number, to: number): CoordinateBounds {
  const at = (band: number) => Math.min(bands.end, bands.first + band * 2 ** bands.shift);
  return { ...range, [bands.key]: [at(from), at(to)] };
}

/** Memory that a distribution needs beside its two blocks. */
export const PLACE_BYTES = 4;

/**
 * Copies the first `length` entries of `source` to `target`, band by band, in a band as they stood.
 * @returns where each band begins, and at last where the last one ends.
 */
export function distribute(
  source: EntryBlock,
  length: number,
  bands: Bands,
  target: EntryBlock,
  places: Uint32Array,
): Uint32Array {
  const { first, shift } = bands;
  const keys = source[bands.key];
  const starts = new Uint32Array(bands.count + 1);
  countBands(keys, length, first, shift, starts);
  const next = new Uint32Array(bands.count);
  for (let b = 0, sum = 0; b <= bands.count; b++) {
    const own = starts[b];
    starts[b] = sum;
    if (b < bands.count) next[b] = sum;
    sum += own;
  }
  placeInBands(keys, length, first, shift, next, places);
  scatterWords(source.major, places, length, 1, target.major);
  scatterWords(source.minor, places, length, 1, target.minor);
  source.values.forEach((words, i) => {
    scatterWords(words, places, length, source.shape.value[i].step, target.values[i]);
  });
  return starts;
}
