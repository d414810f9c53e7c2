import { UnsupportedError } from "../../../model/errors.js";

/** From here on more than 15 digits matter, and versions of R differ. */
const LARGE = 1e15;

/**
 * The text that R's `as.character` gives real `index`, null for NA.
 * @param scipen how many characters longer the fixed form may be before the scientific one is taken.
 * @throws {UnsupportedError} for numbers with a fraction, whose last digits depend on the version of R.
 */
export function realText(values: Float64Array, index: number, scipen: number): string | null {
  const value = values[index];
  if (Number.isNaN(value)) {
    const low = new DataView(values.buffer, values.byteOffset + 8 * index, 8).getUint32(0, true);
    return low === NA_LOW_WORD ? null : "NaN";
  }
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  if (!Number.isInteger(value) || Math.abs(value) >= LARGE) {
    throw new UnsupportedError(`strings that R keeps as the number ${value}`);
  }
  const fixed = String(Math.abs(value));
  const digits = fixed.replace(/(?<=.)0+$/, "");
  const exponent = fixed.length - 1;
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  const scientific = `${mantissa}e+${String(exponent).padStart(2, "0")}`;
  return (value < 0 ? "-" : "") + (fixed.length <= scientific.length + scipen ? fixed : scientific);
}

/** R tells NA from other NaNs by the lower half of its bits alone. */
const NA_LOW_WORD = 1954;
