/** Makes columns from R vectors: factors, dates, times and numbers, with NA as missing values. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { ColumnPlan } from "annarrow/core/jobs";
import { getColumnRowCount } from "annarrow/core/jobs";
import { findMissingInR } from "annarrow/core/kernels";
import { countElements, type StoredType } from "annarrow/core/model";
import type { ColumnElement } from "annarrow/core/readers";
import { MISSING, toUtf8Values } from "../../../containers/rds/model/text.js";
import {
  createUnreadableError,
  findOnlyString,
  NA_INTEGER,
  type RCharacter,
  type RInteger,
  type RReal,
  type RValue,
} from "../../../containers/rds/model/value.js";
import {
  createArrayFromRNumbers,
  createArrayFromRTexts,
  createRNumberVector,
  FLOAT64,
  INT32,
  type TypedNumbers,
  toBooleanBytes,
} from "./arrays.js";
import { toPosixTimes } from "./calendar.js";
import { isCompressedList, listColumn, toCompressedListColumn } from "./lists.js";
import { expandRle } from "./rle.js";
import { describeRValue, getRClasses, getRSlot, hasClass, toWholeNumbers } from "./value.js";

export interface RColumn extends ColumnElement {
  readonly shape: readonly number[];
}

/**
 * Converts a vector, a matrix or an array to a column.
 * @param path the column's name in errors.
 * @throws {UnsupportedError} for values that are not a vector.
 */
export function toRColumn(path: string, given: RValue): RColumn {
  const value = hasClass(given, "Rle") ? expandRle(given) : given;
  const classes = getRClasses(value);
  if (value.kind === "integer" && classes.includes("factor")) return factor(path, value);
  if (value.kind === "list" && classes.includes("POSIXlt")) return timed(path, toPosixTimes(value), ["POSIXct"]);
  switch (value.kind) {
    case "character":
      return text(path, value);
    case "raw":
      return numbers(
        path,
        value,
        { type: { kind: "int", bits: 8, signed: false }, values: value.values, width: 1 },
        null,
      );
    case "complex":
      return numbers(path, value, { type: { kind: "complex", bits: 128 }, values: value.values, width: 2 }, null);
    case "logical":
      return numbers(
        path,
        value,
        { type: { kind: "bool" }, values: toBooleanBytes(value.values), width: 1 },
        findMissingInR(value.values),
      );
    case "integer":
    case "real":
      return timed(path, value, classes);
    case "list":
      if (classes.length > 0 && !classes.some((name) => LISTS.has(name)))
        throw new UnsupportedError(`${describeRValue(value)}, no vector`);
      return rowsOf(listColumn(path, value));
    case "unreadable":
      throw createUnreadableError(value);
    case "s4":
      if (!isCompressedList(value)) throw new UnsupportedError(`${describeRValue(value)}, no vector`);
      return rowsOf(toCompressedListColumn(path, value));
    default:
      throw new UnsupportedError(`${describeRValue(value)}, no vector`);
  }
}

/** Classes of lists that occur in frames: those made by `I()`, and those of the tidyverse. */
const LISTS = new Set(["AsIs", "vctrs_list_of"]);

function rowsOf(column: ColumnElement): RColumn {
  return { ...column, shape: [getColumnRowCount(column.plan)] };
}

function timed(path: string, value: RInteger | RReal, classes: readonly string[]): RColumn {
  if (classes.includes("Date")) return times(path, value, { kind: "datetime", unit: "D", step: 1, isDate: true }, 1);
  if (classes.includes("POSIXct")) {
    // Without a time zone, R shows the time in the session's zone, which the file does not contain.
    const timezone = findOnlyString(getRSlot(value, "tzone")) || "UTC";
    return times(path, value, { kind: "datetime", unit: "us", step: 1, timezone }, 1e6);
  }
  if (classes.includes("difftime")) {
    const units = findOnlyString(getRSlot(value, "units")) ?? "";
    const scale = MICROSECONDS.get(units);
    if (scale === undefined) throw new UnsupportedError(`a difftime in ${JSON.stringify(units)}`);
    return times(path, value, { kind: "timedelta", unit: "us", step: 1 }, scale);
  }
  if (value.kind === "real" && classes.includes("integer64")) return integers64(path, value);
  if (value.kind === "integer") {
    return numbers(path, value, { type: INT32, values: value.values, width: 1 }, findMissingInR(value.values));
  }
  return numbers(path, value, { type: FLOAT64, values: value.values, width: 1 }, findMissingInR(value.values));
}

const MICROSECONDS: ReadonlyMap<string, number> = new Map([
  ["secs", 1e6],
  ["mins", 60e6],
  ["hours", 3600e6],
  ["days", 86_400e6],
  ["weeks", 604_800e6],
]);

/** Makes a column of numbers, with a mask if some are missing. */
function numbers(path: string, value: RValue, typed: TypedNumbers, mask: Uint8Array | null): RColumn {
  const shape = vectorShape(value, typed.values.length / typed.width);
  const array = createArrayFromRNumbers(path, typed, shape);
  if (mask === null) return { plan: { kind: "array", array }, metadata: { kind: "array" }, shape };
  const missing = createArrayFromRNumbers(path, { type: { kind: "bool" }, values: mask, width: 1 }, shape);
  const kind =
    typed.type.kind === "bool" ? "nullable-boolean" : typed.type.kind === "int" ? "nullable-integer" : "array";
  return { plan: { kind: "nullable", values: array, mask: missing }, metadata: { kind }, shape };
}

/** Returns the dimensions of a matrix or an array, or the length of any other vector. */
function vectorShape(value: RValue, length: number): readonly number[] {
  const dim = getRSlot(value, "dim");
  if (dim.kind === "null") return [length];
  const shape = [...toWholeNumbers(dim, "dim")];
  if (
    shape.length > 0 &&
    shape.length <= MAX_DIMENSIONS &&
    shape.every((size) => size >= 0) &&
    countElements(shape) === length
  ) {
    return shape;
  }
  throw new InvalidDataError(`${length} values, the dimensions are ${shape.join(" x ")}`);
}

const MAX_DIMENSIONS = 32;

/** Converts times to whole ticks, rounded down. NA and NaN are missing. */
function times(path: string, value: RInteger | RReal, type: StoredType, scale: number): RColumn {
  const ticks = BigInt64Array.from(value.values, (one) => {
    if (one === NA_INTEGER && value.kind === "integer") return NOT_A_TIME;
    if (!Number.isFinite(one)) return NOT_A_TIME;
    const tick = scale === 1 ? Math.floor(one) : Math.round(one * scale);
    if (Math.abs(tick) >= 2 ** 63) throw new InvalidDataError(`a time of ${one}`);
    return BigInt(tick);
  });
  return numbers(path, value, { type, values: ticks, width: 1 }, null);
}

const NOT_A_TIME = -(2n ** 63n);

/** Makes the integers of the package bit64, whose bits are stored as reals. */
function integers64(path: string, value: RReal): RColumn {
  const copy = value.values.slice();
  const values = new BigInt64Array(copy.buffer, 0, copy.length);
  const mask = values.includes(NOT_A_TIME) ? Uint8Array.from(values, (one) => (one === NOT_A_TIME ? 1 : 0)) : null;
  return numbers(path, value, { type: { kind: "int", bits: 64, signed: true }, values, width: 1 }, mask);
}

function text(path: string, value: RCharacter): RColumn {
  const { encodings } = value.text;
  const shape = vectorShape(value, encodings.length);
  const values = createArrayFromRTexts(path, toUtf8Values(value.text), shape);
  if (!encodings.includes(MISSING))
    return { plan: { kind: "array", array: values }, metadata: { kind: "string-array" }, shape };
  const missing = encodings.map((one) => (one === MISSING ? 1 : 0));
  const mask = createArrayFromRNumbers(path, { type: { kind: "bool" }, values: missing, width: 1 }, shape);
  return { plan: { kind: "nullable", values, mask }, metadata: { kind: "nullable-string-array" }, shape };
}

/**
 * Makes a factor with codes that start at 0, and -1 for a missing value. A level that is NA is also a missing value.
 */
function factor(path: string, value: RInteger): RColumn {
  const levels = getRSlot(value, "levels");
  if (levels.kind !== "character")
    throw new InvalidDataError(`the levels of a factor are ${describeRValue(levels)}, no text`);
  const { encodings } = levels.text;
  const missing = encodings.indexOf(MISSING);
  const count = encodings.length;
  const codes = value.values.map((code) => {
    if (code === NA_INTEGER || code - 1 === missing) return -1;
    if (code < 1 || code > count) throw new InvalidDataError(`code ${code} of a factor with ${count} levels`);
    return missing >= 0 && code - 1 > missing ? code - 2 : code - 1;
  });
  const plan: ColumnPlan = {
    kind: "categorical",
    codes: { kind: "array", array: createRNumberVector(path, INT32, codes) },
    categories: toRColumn(path, { ...levels, text: withoutMissing(levels), attributes: new Map() }).plan,
    ordered: hasClass(value, "ordered"),
  };
  return { plan, metadata: { kind: "categorical", categories: { kind: "string-array" } }, shape: [codes.length] };
}

/** Removes levels that are NA. They have no bytes. */
function withoutMissing({ text: levels }: RCharacter): RCharacter["text"] {
  const { offsets, bytes, encodings } = levels;
  if (!encodings.includes(MISSING)) return levels;
  const kept = [...encodings.keys()].filter((i) => encodings[i] !== MISSING);
  return {
    bytes,
    offsets: Int32Array.of(0, ...kept.map((i) => offsets[i + 1])),
    encodings: Uint8Array.from(kept, (i) => encodings[i]),
  };
}
