/** Minimum and maximum of a page. Parquet readers use them to skip row groups. */

/** The type that determines the order of a column's words. */
export type WordOrder = "int32" | "uint32" | "int64" | "uint64" | "float32" | "float64";

/** A range of numbers, or of bigints for 64-bit integers. */
export interface ValueRange<T extends number | bigint = number | bigint> {
  readonly least: T;
  readonly greatest: T;
}

/** Returns the range of values passed as 32-bit words; null if there are no values other than NaN. */
export function findValueRange(words: Int32Array, order: WordOrder): ValueRange | null {
  if (words.length === 0) return null;
  const { buffer, byteOffset, length } = words;
  switch (order) {
    case "int32":
      return rangeOfInt32(words);
    case "uint32":
      return rangeOfUint32(new Uint32Array(buffer, byteOffset, length));
    case "int64":
      return rangeOfInt64(words, 0x80000000);
    case "uint64":
      return rangeOfInt64(words, 0);
    case "float32":
      return rangeOfFloat32(new Float32Array(buffer, byteOffset, length));
    case "float64":
      return rangeOfFloat64(wide(words));
    default:
      return order satisfies never;
  }
}

/** Returns the smallest range that includes both. */
export function joinRanges(a: ValueRange | null, b: ValueRange | null): ValueRange | null {
  if (a === null || b === null) return a ?? b;
  let { least, greatest } = a;
  if (b.least < least) least = b.least;
  if (b.greatest > greatest) greatest = b.greatest;
  return { least, greatest };
}

/**
 * Encodes `value` for the statistics of a column chunk. A zero bound is written as -0.0 for the least and 0.0 for the
 * greatest value, because readers that compare bits, or 0.0 with -0.0, must not skip the other zero.
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

// Each type has its own function, so that each loop processes a single type of array.

function rangeOfInt32(values: Int32Array): ValueRange {
  let least = values[0];
  let greatest = least;
  for (let i = 1; i < values.length; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return { least, greatest };
}

function rangeOfUint32(values: Uint32Array): ValueRange {
  let least = values[0];
  let greatest = least;
  for (let i = 1; i < values.length; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return { least, greatest };
}

/** Compares the upper halves, then the lower halves. `bias` is 2^31 if the upper half is signed. */
function rangeOfInt64(words: Int32Array, bias: number): ValueRange<bigint> {
  let least = 0;
  let greatest = 0;
  let [leastLow, leastHigh] = [words[0] >>> 0, (words[1] ^ bias) >>> 0];
  let [greatestLow, greatestHigh] = [leastLow, leastHigh];
  for (let i = 2; i < words.length; i += 2) {
    const low = words[i] >>> 0;
    const high = (words[i + 1] ^ bias) >>> 0;
    if (high < leastHigh || (high === leastHigh && low < leastLow)) {
      least = i;
      leastLow = low;
      leastHigh = high;
    } else if (high > greatestHigh || (high === greatestHigh && low > greatestLow)) {
      greatest = i;
      greatestLow = low;
      greatestHigh = high;
    }
  }
  return { least: bigintAt(words, least, bias), greatest: bigintAt(words, greatest, bias) };
}

function bigintAt(words: Int32Array, at: number, bias: number): bigint {
  const high = bias === 0 ? words[at + 1] >>> 0 : words[at + 1];
  return (BigInt(high) << 32n) | BigInt(words[at] >>> 0);
}

/** Finds the range of floats. NaN is neither less nor greater, so it never enters a range. */
function rangeOfFloat32(values: Float32Array): ValueRange | null {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return toFloatRange(least, greatest);
}

function rangeOfFloat64(values: Float64Array): ValueRange | null {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return toFloatRange(least, greatest);
}

/**
 * Returns the range found by a search that started from +Inf and -Inf, or null if there was no number. If all numbers
 * are +Inf, `greatest` is set, and `least` stays at its initial value, +Inf. Only if all values are NaN is `least`
 * above `greatest`.
 */
export function toFloatRange(least: number, greatest: number): ValueRange | null {
  return least <= greatest ? { least, greatest } : null;
}

/** Views words as doubles. Copies words that are not 8-byte aligned. */
function wide(words: Int32Array): Float64Array {
  const aligned = words.byteOffset % 8 === 0 ? words : words.slice();
  return new Float64Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
}
