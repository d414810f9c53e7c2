/** The range of the values of a page, by loops. */

import { toFloatRange, type ValueRange, type WordOrder } from "../../../../src/kernels/parquet/statistics.js";

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

/** Views words as doubles. Copies words that are not 8-byte aligned. */
function wide(words: Int32Array): Float64Array {
  const aligned = words.byteOffset % 8 === 0 ? words : words.slice();
  return new Float64Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
}
