/** Milliseconds as floats -> whole ticks of the coarsest unit that has them all. */

export type TickUnit = "ms" | "us" | "ns";

const UNITS: readonly (readonly [unit: TickUnit, perMilli: bigint])[] = [
  ["ms", 1n],
  ["us", 1000n],
  ["ns", 1_000_000n],
];

const LIMIT = 2n ** 63n;

export interface Ticks {
  readonly unit: TickUnit;
  /** Whether the ticks are the very times; else they are the nearest. */
  readonly exact: boolean;
  /** null where a time is NaN. */
  readonly values: readonly (bigint | null)[];
}

/** A number as `numerator / 2^shift`. */
interface Fraction {
  readonly numerator: bigint;
  readonly shift: number;
}

/**
 * @param low is added to `high`, null for nothing.
 * @returns null where a time is infinite, or the unit that would be exact does not reach as far.
 */
export function exactTicks(high: Float64Array, low: Float64Array | null): Ticks | null {
  const times: (Fraction | null)[] = [];
  for (const [i, value] of high.entries()) {
    if (Number.isNaN(value)) {
      times.push(null);
      continue;
    }
    const more = low?.[i] ?? 0;
    if (!Number.isFinite(value) || !Number.isFinite(more)) return null;
    times.push(sum(fraction(value), fraction(more)));
  }
  for (const [unit, factor] of UNITS) {
    const whole = times.every((time) => time === null || (time.numerator * factor) % (1n << BigInt(time.shift)) === 0n);
    if (!whole && unit !== "ns") continue;
    const values = times.map((time) => (time === null ? null : rounded(time.numerator * factor, time.shift)));
    if (values.some((value) => value !== null && (value >= LIMIT || value <= -LIMIT))) return null;
    return { unit, exact: whole, values };
  }
  return null;
}

function fraction(value: number): Fraction {
  if (Number.isSafeInteger(value)) return { numerator: BigInt(value), shift: 0 };
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const own = word & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? own : own | (1n << 52n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  const signed = value < 0 ? -mantissa : mantissa;
  return power >= 0 ? { numerator: signed << BigInt(power), shift: 0 } : { numerator: signed, shift: -power };
}

function sum(a: Fraction, b: Fraction): Fraction {
  const shift = Math.max(a.shift, b.shift);
  const at = ({ numerator, shift: own }: Fraction) => numerator << BigInt(shift - own);
  return { numerator: at(a) + at(b), shift };
}

/** The nearest whole number, of two the even one. */
function rounded(numerator: bigint, shift: number): bigint {
  const one = 1n << BigInt(shift);
  let floor = numerator >> BigInt(shift);
  const rest = 2n * (numerator - floor * one);
  if (rest > one || (rest === one && (floor & 1n) === 1n)) floor++;
  return floor;
}
