/** Minimum and maximum of a page. Parquet readers use them to skip row groups. */

/** The type that determines the order of a column's words. */
export type WordOrder = "int32" | "uint32" | "int64" | "uint64" | "float32" | "float64";

/** A range of numbers, or of bigints for 64-bit integers. */
export interface ValueRange<T extends number | bigint = number | bigint> {
  readonly least: T;
  readonly greatest: T;
}

/** Returns the smallest range that includes both ranges. */
export function joinRanges(a: ValueRange | null, b: ValueRange | null): ValueRange | null {
  if (a === null || b === null) return a ?? b;
  let { least, greatest } = a;
  if (b.least < least) least = b.least;
  if (b.greatest > greatest) greatest = b.greatest;
  return { least, greatest };
}

/**
 * Encodes `value` for the statistics of a column chunk. A zero bound is written as -0.0 for the least value and as 0.0
 * for the greatest value. Otherwise, readers that compare bits or distinguish 0.0 from -0.0 would skip the other zero.
 */
export function encodeStatistic(value: number | bigint, order: WordOrder, bound: "least" | "greatest"): Uint8Array {
  const wideValue = order === "int64" || order === "uint64" || order === "float64";
  const view = new DataView(new ArrayBuffer(wideValue ? 8 : 4));
  if (typeof value === "bigint") view.setBigUint64(0, BigInt.asUintN(64, value), true);
  else if (order === "float32") view.setFloat32(0, outward(value, bound), true);
  else if (order === "float64") view.setFloat64(0, outward(value, bound), true);
  else view.setUint32(0, value >>> 0, true);
  return new Uint8Array(view.buffer);
}

function outward(value: number, bound: "least" | "greatest"): number {
  if (value !== 0) return value;
  return bound === "least" ? -0 : 0;
}

/**
 * Returns the range found by a search that started from +Inf and -Inf, or null if there was no number. If all numbers
 * are +Inf, `greatest` is set, and `least` stays at its initial value, +Inf. Only if all values are NaN is `least`
 * above `greatest`.
 */
export function toFloatRange(least: number, greatest: number): ValueRange | null {
  return least <= greatest ? { least, greatest } : null;
}
