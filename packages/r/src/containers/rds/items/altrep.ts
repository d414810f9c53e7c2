/**
 * ALTREP vectors. R writes each in the form that its class defines: sequences as their bounds, strings of numbers as
 * the numbers, and vectors of packages mostly as ordinary vectors.
 */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { SEXP } from "../model/sexp-type.js";
import { NA_INTEGER, NO_ATTRIBUTES, type RPairlist, type RValue } from "../model/value.js";
import { CharacterBuilder } from "./character-vector.js";

/** Number of bytes to which compact vectors may still expand. They are not limited by the size of the file. */
export interface ExpansionBudget {
  left: number;
  readonly limit: number;
}

/**
 * Returns the vector, without attributes.
 * @param info class and package as symbols, and the type.
 */
export function expandAltrep(info: RValue, state: RValue, budget: ExpansionBudget): RValue {
  const [className = info, , type] = info.kind === "pairlist" ? info.items.map(({ value }) => value) : [];
  if (className.kind !== "symbol") throw new InvalidDataError(`the class of an ALTREP vector is ${className.kind}`);
  switch (className.name) {
    case "compact_intseq": {
      const { length, start, step } = sequence(state);
      const last = start + step * (length - 1);
      if (![start, last].every((bound) => Number.isInteger(bound) && Math.abs(bound) < 2 ** 31)) {
        throw new InvalidDataError(`integers from ${start} to ${last}`);
      }
      spend(budget, 4 * length);
      return { kind: "integer", values: ramp(new Int32Array(length), start, step), attributes: NO_ATTRIBUTES };
    }
    case "compact_realseq": {
      const { length, start, step } = sequence(state);
      spend(budget, 8 * length);
      return { kind: "real", values: ramp(new Float64Array(length), start, step), attributes: NO_ATTRIBUTES };
    }
    case "deferred_string":
      return deferredString(cell(state), budget);
    case "wrap_integer":
    case "wrap_logical":
    case "wrap_real":
    case "wrap_complex":
    case "wrap_string":
    case "wrap_raw":
    case "wrap_list":
      return cell(state).items[0].value;
    default:
      return statedVector(state, type, className.name);
  }
}

/** R's type numbers for vectors, by `RValue` kind. */
const VECTOR_TYPES: ReadonlyMap<RValue["kind"], number> = new Map([
  ["logical", SEXP.logical],
  ["integer", SEXP.integer],
  ["real", SEXP.real],
  ["complex", SEXP.complex],
  ["character", SEXP.character],
  ["list", SEXP.list],
  ["raw", SEXP.raw],
]);

/**
 * Returns the state of an ALTREP class that only its own package can interpret. If the state has the type of the class,
 * it is the vector itself: packages (arrow, vroom) write it in this form for sessions without the package.
 * @param type the type of the class; it may be missing in the information about other classes.
 */
function statedVector(state: RValue, type: RValue | undefined, className: string): RValue {
  const expected = type?.kind === "integer" ? type.values[0] : undefined;
  if (expected !== undefined && VECTOR_TYPES.get(state.kind) === expected) return state;
  throw new UnsupportedError(
    `a vector of the class ${JSON.stringify(className)}, which only its package in R can read: make it a plain vector, as by x[]`,
  );
}

function spend(budget: ExpansionBudget, bytes: number): void {
  if (budget.left < bytes) {
    throw new UnsupportedError(`sequences that expand to more than ${budget.limit} bytes (maxExpandedBytes)`);
  }
  budget.left -= bytes;
}

function cell(state: RValue): RPairlist {
  if (state.kind !== "pairlist") throw new InvalidDataError(`the state of an ALTREP vector is ${state.kind}`);
  return state;
}

function sequence(state: RValue): { readonly length: number; readonly start: number; readonly step: number } {
  if (state.kind !== "real" || state.values.length !== 3)
    throw new InvalidDataError("a compact sequence without bounds");
  const [length, start, step] = state.values;
  if (!Number.isSafeInteger(length) || length < 0 || !Number.isFinite(start) || (step !== 1 && step !== -1)) {
    throw new InvalidDataError(`a compact sequence of ${length} values from ${start} by ${step}`);
  }
  return { length, start, step };
}

function ramp<T extends Int32Array | Float64Array>(values: T, start: number, step: number): T {
  for (let i = 0; i < values.length; i++) values[i] = start + step * i;
  return values;
}

/** Converts numbers to text like `as.character`. The second element of `state` is R's `options("scipen")`. */
function deferredString(state: RPairlist, budget: ExpansionBudget): RValue {
  const numbers = state.items[0].value;
  const scipen = state.tail?.kind === "integer" ? state.tail.values[0] : 0;
  if (numbers.kind === "unreadable") return numbers;
  if (numbers.kind !== "integer" && numbers.kind !== "real") {
    throw new InvalidDataError(`strings that stand for values that are ${numbers.kind}`);
  }
  // The bytes of offsets and encodings are counted before their memory is allocated.
  spend(budget, 5 * numbers.values.length);
  const builder = new CharacterBuilder(numbers.values.length);
  for (let i = 0; i < numbers.values.length; i++) {
    const text = numbers.kind === "integer" ? integerText(numbers.values[i]) : formatReal(numbers.values, i, scipen);
    if (text === null) builder.addMissing();
    else {
      spend(budget, text.length);
      builder.addAscii(text);
    }
  }
  return { kind: "character", text: builder.finish(), attributes: NO_ATTRIBUTES };
}

function integerText(value: number): string | null {
  return value === NA_INTEGER ? null : String(value);
}

/** Maximum number of digits for which the `as.character` of all R versions agree. */
const MAX_DIGITS = 15;

/** Numbers below this have fewer significant digits than R writes. */
const LEAST_NORMAL = 2 ** -1022;

/**
 * Returns the text of number `index` in `values` as R's `as.character` writes it; null for NA.
 * @param scipen the number of characters by which the fixed form may be longer than the scientific one.
 * @throws {UnsupportedError} for numbers of more than 15 digits, whose text depends on the version of R.
 */
function formatReal(values: Float64Array, index: number, scipen: number): string | null {
  const value = values[index];
  if (Number.isNaN(value)) {
    const low = new DataView(values.buffer, values.byteOffset + 8 * index, 8).getUint32(0, true);
    return low === NA_LOW_WORD ? null : "NaN";
  }
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  // The shortest digits that represent exactly this number, as `d.ddde±x`.
  const [mantissa, power] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  if (digits.length > MAX_DIGITS || (value !== 0 && Math.abs(value) < LEAST_NORMAL)) {
    throw new UnsupportedError(
      `strings that R keeps as numbers, among them ${value}, whose text depends on the version of R: make them text by paste0(x)`,
    );
  }
  const exponent = Number(power);
  const scientific = `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  // Without an exponent, R writes all digits of a whole number.
  const fixed = Number.isInteger(value) ? String(BigInt(Math.abs(value))) : fixedText(digits, exponent);
  return (value < 0 ? "-" : "") + (fixed.length <= scientific.length + scipen ? fixed : scientific);
}

/** Formats a number with a fraction, without an exponent. The place value of its first digit is `10 ** exponent`. */
function fixedText(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** The low word of NA. R distinguishes NA from other NaNs only by this word. */
const NA_LOW_WORD = 1954;
