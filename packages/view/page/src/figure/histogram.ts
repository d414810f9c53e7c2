/** Counts of numbers in bins of equal width. */

import { inSlices } from "../data/slices.js";

export interface Bins {
  /** Lower edge of the first bin, upper edge of the last. */
  readonly low: number;
  readonly high: number;
  readonly bins: number;
}

export interface Extent {
  /** Minimum and maximum finite number; NaN if there is none. */
  readonly least: number;
  readonly greatest: number;
  readonly areIntegers: boolean;
  /** Number of null, NaN and infinite values, which are in no bin. */
  readonly missing: number;
  readonly infinite: number;
}

export async function extentOf(values: ArrayLike<number>, signal?: AbortSignal): Promise<Extent> {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  let missing = 0;
  let infinite = 0;
  let areIntegers = true;
  const look = (start: number, end: number) => {
    for (let index = start; index < end; index++) {
      const value = values[index];
      if (Number.isNaN(value)) missing++;
      else if (!Number.isFinite(value)) infinite++;
      else {
        if (value < least) least = value;
        if (value > greatest) greatest = value;
        areIntegers &&= Number.isInteger(value);
      }
    }
  };
  await inSlices(values.length, look, { signal });
  const isEmpty = least > greatest;
  return {
    ...{ areIntegers, missing, infinite },
    least: isEmpty ? Number.NaN : least,
    greatest: isEmpty ? Number.NaN : greatest,
  };
}

/**
 * Computes bins from the least to the greatest number. For integers of a small range, every bin has the same whole
 * number of integers, so that neighbouring bins are comparable.
 */
export function binsFor({ least, greatest, areIntegers }: Extent, most: number): Bins {
  if (Number.isNaN(least)) return { low: 0, high: 1, bins: 0 };
  const range = greatest - least;
  if (range === 0) return { low: least - 0.5, high: least + 0.5, bins: 1 };
  if (!areIntegers) return { low: least, high: greatest, bins: most };
  const each = Math.ceil((range + 1) / most);
  const bins = Math.ceil((range + 1) / each);
  return { low: least - 0.5, high: least - 0.5 + bins * each, bins };
}

/**
 * Counts the numbers in each bin. As in numpy, a bin includes its lower edge, and the last bin also its upper edge.
 * @param chosen one byte for each value; values with 0 are not counted.
 */
export async function countsIn(
  values: ArrayLike<number>,
  { low, high, bins }: Bins,
  chosen: Uint8Array | null = null,
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const counts = new Array<number>(bins).fill(0);
  const width = (high - low) / bins;
  const count = (start: number, end: number) => {
    for (let index = start; index < end; index++) {
      const value = values[index];
      if (!(value >= low && value <= high) || chosen?.[index] === 0) continue;
      counts[Math.min(Math.floor((value - low) / width), bins - 1)]++;
    }
  };
  await inSlices(values.length, count, { signal });
  return counts;
}

/** Counts each code; the last count is that of the missing code. */
export async function countCodes(
  codes: ArrayLike<number>,
  categories: number,
  chosen: Uint8Array | null = null,
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const counts = new Array<number>(categories + 1).fill(0);
  const count = (start: number, end: number) => {
    for (let index = start; index < end; index++) {
      if (chosen?.[index] !== 0) counts[Math.min(codes[index], categories)]++;
    }
  };
  await inSlices(codes.length, count, { signal });
  return counts;
}
