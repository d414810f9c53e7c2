import { InvalidDataError } from "../../../model/errors.js";
import { NA_REAL_BITS } from "../model/value.js";

const NAMED: ReadonlyMap<string, number | bigint> = new Map<string, number | bigint>([
  ["NA", NA_REAL_BITS],
  ["NaN", Number.NaN],
  ["Inf", Number.POSITIVE_INFINITY],
  ["-Inf", Number.NEGATIVE_INFINITY],
]);

/** `saveRDS(ascii = NA)` writes C's `%a`, which is exact. */
const HEXADECIMAL = /^(-?)0x([0-9a-f])(?:\.([0-9a-f]{1,13}))?p([+-]\d{1,4})$/;
const DECIMAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/**
 * The real that a word stands for; NA as its bits.
 * @throws {InvalidDataError} where it is none.
 */
export function asciiReal(word: string): number | bigint {
  const named = NAMED.get(word);
  if (named !== undefined) return named;
  if (DECIMAL.test(word)) return Number(word);
  const match = HEXADECIMAL.exec(word);
  if (match === null) throw new InvalidDataError(`"${word}" is no real number`);
  const [, sign, lead, fraction = "", exponent] = match;
  const digits = Number.parseInt(lead + fraction, 16);
  const scale = Number(exponent) - 4 * fraction.length;
  // In two steps, so that neither power leaves the range of what is not subnormal.
  const value = digits * 2 ** Math.trunc(scale / 2) * 2 ** (scale - Math.trunc(scale / 2));
  if (!Number.isFinite(value)) throw new InvalidDataError(`"${word}" is beyond the largest real number`);
  return sign === "-" ? -value : value;
}
