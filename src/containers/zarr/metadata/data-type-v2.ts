import { InvalidDataError } from "../../../model/errors.js";
import type { StoredType, TimeUnit } from "../../../model/stored.js";
import { createFixedType, createUnsupportedType, type DataType, record } from "./data-type.js";
import type { Json } from "./json.js";
import {
  checkJsonInteger,
  checkJsonIntegers,
  checkJsonList,
  checkJsonText,
  createUnexpectedError,
  isList,
} from "./json-fields.js";

const SIMPLE = /^([<>|=])([biufcSUV])(\d+)$/;
const TIME = /^([<>|=])([mM])8(?:\[(\d*)(Y|M|W|D|h|m|s|ms|us|μs|ns|ps|fs|as|generic)\])?$/;
const MAX_FIELDS = 10_000;

/**
 * Parses numpy's type string (`<f4`) or list of fields (`[["a", "<i4"], ["b", "<f4", [2]]]`). `|O` is not supported
 * here, because only a filter specifies the type of its objects.
 * @throws {InvalidDataError} if `value` is not such a string or list.
 */
export function parseNumpyType(value: Json | undefined): DataType {
  if (typeof value === "string") return parseTypeText(value);
  if (!isList(value)) throw createUnexpectedError(value, "dtype", "a type text or a list of fields");
  return parseFields(value);
}

function parseFields(value: readonly Json[]): DataType {
  if (value.length > MAX_FIELDS) throw new InvalidDataError(`dtype has ${value.length} fields, at most ${MAX_FIELDS}`);
  return record(
    value.map((item) => {
      const [name, type, shape] = checkJsonList(item, "a field of dtype");
      const sizes = typeof shape === "number" ? [checkJsonInteger(shape, "shape of a field", 1)] : undefined;
      return {
        name: checkJsonText(name, "name of a field"),
        type: parseNumpyType(type),
        shape: shape === undefined ? [] : (sizes ?? checkJsonIntegers(shape, "shape of a field", 1)),
      };
    }),
  );
}

function parseTypeText(text: string): DataType {
  const time = TIME.exec(text);
  if (time !== null) {
    const unit = parseTimeUnit(time[4] ?? "generic");
    const kind = time[2] === "M" ? "datetime" : "timedelta";
    const step = time[3] === undefined || time[3] === "" ? 1 : Number(time[3]);
    return createFixedType({ kind, unit, step }, 8, 8, time[1] === ">");
  }
  const match = SIMPLE.exec(text);
  if (match === null) return createUnsupportedType(text);
  const width = Number(match[3]);
  const big = match[1] === ">";
  if (width > 2 ** 30) throw new InvalidDataError(`dtype ${text} has items of ${width} bytes`);
  switch (match[2]) {
    case "S":
      return createFixedTextType(width);
    case "U":
      return createFixedUtf32Type(4 * width, big);
    case "V":
      return createFixedType({ kind: "bytes", width }, width, 1);
    default:
      return findNumberType(match[2], 8 * width, big) ?? createUnsupportedType(text);
  }
}

/** Creates the type for strings of `width` bytes, padded with NUL. */
export function createFixedTextType(width: number): DataType {
  return createFixedType(
    { kind: "text", storage: { form: "fixed", encoding: "ascii", width, padding: "nullpad" } },
    width,
    1,
  );
}

/** Creates the type for UTF-32 strings of `width` bytes, four per character, padded with NUL. */
export function createFixedUtf32Type(width: number, big = false): DataType {
  const stored: StoredType = {
    kind: "text",
    storage: { form: "fixed", encoding: "utf-32", width, padding: "nullpad" },
  };
  return createFixedType(stored, width, 4, big);
}

/** Returns the number type for numpy's kind letter; undefined if no number type has this width. */
export function findNumberType(letter: string, bits: number, big: boolean): DataType | undefined {
  const size = bits / 8;
  switch (letter) {
    case "b":
      return bits === 8 ? createFixedType({ kind: "bool" }, 1, 1) : undefined;
    case "i":
    case "u":
      if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) return undefined;
      return createFixedType({ kind: "int", bits, signed: letter === "i" }, size, size, big);
    case "f":
      if (bits !== 16 && bits !== 32 && bits !== 64) return undefined;
      return createFixedType({ kind: "float", bits }, size, size, big);
    case "c":
      if (bits !== 64 && bits !== 128) return undefined;
      return createFixedType({ kind: "complex", bits }, size, size / 2, big);
    default:
      return undefined;
  }
}

const UNITS: readonly TimeUnit[] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"];

/** @throws {InvalidDataError} for a unit that numpy does not have. */
export function parseTimeUnit(text: string): TimeUnit {
  // numpy sometimes writes microseconds with the Greek letter mu, which looks like the micro sign.
  const unit = UNITS.find((known) => known === (text === "μs" ? "us" : text));
  if (unit === undefined) throw new InvalidDataError(`time unit ${JSON.stringify(text)}`);
  return unit;
}
