/** Distribution of numbers: minimum, maximum, percentiles and histogram. Percentiles of many numbers use a sample. */

import { inSlices } from "../../data/slices.js";
import { PointOrder } from "../layer/point-order.js";

export interface NumberSpread {
  readonly low: number;
  readonly high: number;
  /** Number of values that are not finite. */
  readonly missing: number;
  /** Counts in bins of equal width, from `low` to `high`. */
  readonly bins: readonly number[];
  /** Sorted sample of all numbers. */
  readonly sample: Float64Array;
}

const BINS = 48;
const SAMPLE = 100_000;

export async function spreadOf(values: ArrayLike<number>, signal?: AbortSignal): Promise<NumberSpread> {
  let [low, high, missing] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  const findEnds = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const value = values[at] as number;
      if (!Number.isFinite(value)) missing += 1;
      else {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  };
  await inSlices(values.length, findEnds, { signal });
  const bins = new Array<number>(BINS).fill(0);
  if (low > high) return { low: 0, high: 0, missing, bins, sample: new Float64Array() };
  const scale = high > low ? BINS / (high - low) : 0;
  const count = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const value = values[at] as number;
      if (!Number.isFinite(value)) continue;
      const bin = Math.min(Math.floor((value - low) * scale), BINS - 1);
      bins[bin] = (bins[bin] as number) + 1;
    }
  };
  await inSlices(values.length, count, { signal });
  return { low, high, missing, bins, sample: sampleOf(values) };
}

function sampleOf(values: ArrayLike<number>): Float64Array {
  const sample = new Float64Array(Math.min(SAMPLE, values.length));
  new PointOrder(values.length).copy(values, sample, 0, sample.length);
  return sample.filter((value) => Number.isFinite(value)).sort();
}

/** Returns the numbers at two percentiles; minimum and maximum if these are equal. */
export function clipped({ low, high, sample }: NumberSpread, [from, to]: readonly [number, number]): [number, number] {
  const at = (percent: number): number => {
    if (percent <= 0) return low;
    if (percent >= 100) return high;
    return sample[Math.round((percent / 100) * (sample.length - 1))] ?? low;
  };
  const ends: [number, number] = [at(from), at(to)];
  return ends[0] < ends[1] ? ends : [low, high];
}
