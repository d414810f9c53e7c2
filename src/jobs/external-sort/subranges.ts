/** Distributes a block's entries over bands, which are equally wide ranges of the major or the minor coordinate. */

import { computeRangeStarts, scatterByRange, scatterWords } from "../../kernels/sparse/scatter.js";
import type { EntryBuffer } from "./workspace.js";

/** Range [start, end) of each coordinate of entries. */
export interface CoordinateBounds {
  readonly major: readonly [start: number, end: number];
  readonly minor: readonly [start: number, end: number];
}

/** Bands over [first, end) of the coordinate `key`. Each is 2^shift wide; the last may be narrower. */
export interface Subranges {
  readonly key: "major" | "minor";
  readonly first: number;
  readonly end: number;
  readonly shift: number;
  readonly count: number;
}

/**
 * Divides a range into at most `most` bands along the major coordinate, or along the minor coordinate if the range
 * contains only one major position.
 */
export function computeSubranges(range: CoordinateBounds, most: number): Subranges {
  const key = range.major[1] - range.major[0] > 1 ? "major" : "minor";
  const [first, end] = range[key];
  let shift = 0;
  while (Math.ceil((end - first) / 2 ** shift) > most) shift++;
  return { key, first, end, shift, count: Math.max(1, Math.ceil((end - first) / 2 ** shift)) };
}

/** Returns the part of `range` that the bands [from, to) cover. */
export function getSubrangeBounds(
  range: CoordinateBounds,
  bands: Subranges,
  from: number,
  to: number,
): CoordinateBounds {
  const at = (band: number) => Math.min(bands.end, bands.first + band * 2 ** bands.shift);
  return { ...range, [bands.key]: [at(from), at(to)] };
}

/**
 * Copies the first `length` entries of `source` to `target`, band by band, and preserves the order within each band.
 * @param places memory for one target position per entry.
 * @returns the start of each band, and the end of the last band.
 */
export function distributeEntries(
  source: EntryBuffer,
  length: number,
  bands: Subranges,
  target: EntryBuffer,
  places: Uint32Array,
): Uint32Array {
  const { first, shift } = bands;
  const keys = source[bands.key];
  const starts = computeRangeStarts(keys, length, bands);
  scatterByRange(keys, length, first, shift, starts.slice(0, bands.count), places);
  scatterWords(source.major, places, length, 1, target.major);
  scatterWords(source.minor, places, length, 1, target.minor);
  source.values.forEach((words, i) => {
    scatterWords(words, places, length, source.shape.value[i].step, target.values[i]);
  });
  return starts;
}
