/** Writes the values of Arrow columns as text: exact integers, shortest floats, ISO times, hexadecimal bytes. */

import { type Data, DataType, DateUnit, Precision, TimeUnit, type Vector } from "apache-arrow";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { formatIsoDate, formatIsoDuration, formatIsoTime, formatIsoTimestamp } from "../iso-time.js";

/** Returns the text for a row; null if the value is missing. */
export type CellText = (row: number) => string | null;

/** True if each value of `type` is a single text, not a list, struct, map or union. */
export function isFlat(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isFlat(type.dictionary);
  return !isNested(type);
}

const isNested = (type: DataType) =>
  DataType.isList(type) ||
  DataType.isLargeList(type) ||
  DataType.isFixedSizeList(type) ||
  DataType.isStruct(type) ||
  DataType.isMap(type) ||
  DataType.isUnion(type);

/** Writes lists as JSON arrays, structs as objects, and flat columns as `createFlatFormatter` does. */
export function createCellFormatter(data: Data): CellText {
  return isFlat(data.type) ? createFlatFormatter(data) : createJsonFormatter(data, true);
}

export function createFlatFormatter(data: Data): CellText {
  const { type } = data;
  if (DataType.isNull(type)) return () => null;
  if (DataType.isDictionary(type)) return dictionaryText(data, createFlatFormatter);
  const text = valueText(data);
  return (row) => (data.getValid(row) ? text(row) : null);
}

/**
 * Returns a function that formats a row of a column as JSON. NaN and infinities become text, and integers keep all
 * their digits. A missing value becomes the text `null`, or the value null if `bare`.
 */
export function createJsonFormatter(data: Data, bare?: false): (row: number) => string;
export function createJsonFormatter(data: Data, bare: true): CellText;
export function createJsonFormatter(data: Data, bare = false): CellText {
  const { type } = data;
  const none = bare ? null : "null";
  if (DataType.isNull(type)) return () => none;
  if (DataType.isDictionary(type)) {
    const text = dictionaryText(data, (values) => createJsonFormatter(values, true));
    return (row) => text(row) ?? none;
  }
  const value = jsonValue(data);
  return (row) => (data.getValid(row) ? value(row) : none);
}

function jsonValue(data: Data): (row: number) => string {
  const { type, children } = data;
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const item = createJsonFormatter(children[0]);
    return (row) => jsonList(item, Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1]));
  }
  if (DataType.isFixedSizeList(type)) {
    const item = createJsonFormatter(children[0]);
    return (row) => jsonList(item, row * type.listSize, (row + 1) * type.listSize);
  }
  if (DataType.isMap(type)) {
    const item = createJsonFormatter(children[0]);
    return (row) => jsonList(item, data.valueOffsets[row], data.valueOffsets[row + 1]);
  }
  if (DataType.isStruct(type)) {
    const names = type.children.map((field) => `${JSON.stringify(field.name)}:`);
    const texts = children.map((child) => createJsonFormatter(child));
    return (row) => `{${texts.map((text, i) => names[i] + text(row)).join(",")}}`;
  }
  if (DataType.isUnion(type)) {
    const texts = children.map((child) => createJsonFormatter(child));
    return (row) => {
      const child: number = type.typeIdToChildIndex[data.typeIds[row]];
      return texts[child](DataType.isDenseUnion(type) ? data.valueOffsets[row] : row);
    };
  }
  const text = valueText(data);
  if (DataType.isBool(type) || DataType.isInt(type)) return text;
  if (DataType.isFloat(type)) return (row) => bareNumber(text(row));
  if (DataType.isDecimal(type)) return text;
  return (row) => JSON.stringify(text(row));
}

const bareNumber = (text: string) => (text.endsWith("N") || text.endsWith("y") ? `"${text}"` : text);

function jsonList(item: (row: number) => string, start: number, end: number): string {
  const items: string[] = [];
  for (let i = start; i < end; i++) items.push(item(i));
  return `[${items.join(",")}]`;
}

const texts = new WeakMap<Vector, Map<(values: Data) => CellText, CellText>>();

/** Formats values of a dictionary. Batches of a stream share one dictionary, whose texts are created only once. */
function dictionaryText(data: Data, textOf: (values: Data) => CellText): CellText {
  const { dictionary } = data;
  if (dictionary === undefined) throw new InvalidInputError("a dictionary column has no dictionary");
  const known = texts.get(dictionary) ?? new Map();
  texts.set(dictionary, known);
  const text = known.get(textOf) ?? remembered(dictionary.data.map(textOf), dictionary);
  known.set(textOf, text);
  return (row) => (data.getValid(row) ? text(Number(data.values[row])) : null);
}

function remembered(chunks: readonly CellText[], dictionary: Vector): CellText {
  const made: (string | null | undefined)[] = [];
  return (key) => {
    let value = made[key];
    if (value === undefined) {
      let at = key;
      let chunk = 0;
      while (at >= dictionary.data[chunk].length) at -= dictionary.data[chunk++].length;
      value = chunks[chunk](at);
      made[key] = value;
    }
    return value;
  };
}

/** Returns a function that formats a non-null value. */
function valueText(data: Data): (row: number) => string {
  const { type, values, stride } = data;
  if (DataType.isInt(type)) return (row) => String(values[row]);
  if (DataType.isBool(type)) {
    return (row) => String(((values[(data.offset + row) >> 3] >> ((data.offset + row) & 7)) & 1) === 1);
  }
  if (DataType.isFloat(type)) return floatText(type.precision, values);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return (row) => decoder.decode(shortEnough(bytesAt(data, row), 1));
  }
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) return (row) => hex(shortEnough(bytesAt(data, row), 2));
  if (DataType.isFixedSizeBinary(type)) return (row) => hex(values.subarray(row * stride, (row + 1) * stride));
  if (DataType.isTimestamp(type)) {
    const perSecond = ticks(type.unit);
    const zone = type.timezone ? "Z" : "";
    return (row) => formatIsoTimestamp(values[row], perSecond) + zone;
  }
  if (DataType.isDuration(type)) return (row) => formatIsoDuration(values[row], ticks(type.unit));
  if (DataType.isDate(type)) {
    return type.unit === DateUnit.DAY
      ? (row) => formatIsoDate(BigInt(values[row]))
      : (row) => formatIsoTimestamp(BigInt(values[row]), 1000n);
  }
  if (DataType.isTime(type)) return (row) => formatIsoTime(BigInt(values[row]), ticks(type.unit));
  if (DataType.isDecimal(type)) return (row) => decimal(values.subarray(row * stride, (row + 1) * stride), type.scale);
  if (DataType.isInterval(type) && stride === 4) {
    return (row) => monthDayNano(values.subarray(row * 4, row * 4 + 4));
  }
  throw new InvalidInputError(`no text for values of the type ${type}`);
}

/** Formats months, days, and nanoseconds (two words), each with its own sign. */
function monthDayNano([months, days, low, high]: Int32Array): string {
  const nanoseconds = (BigInt(high) << 32n) | BigInt(low >>> 0);
  return `P${months}M${days}DT${formatIsoDuration(nanoseconds, 1000000000n).replace("PT", "")}`;
}

function bytesAt(data: Data, row: number): Uint8Array {
  return data.values.subarray(Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1]));
}

function ticks(unit: TimeUnit): bigint {
  switch (unit) {
    case TimeUnit.SECOND:
      return 1n;
    case TimeUnit.MILLISECOND:
      return 1000n;
    case TimeUnit.MICROSECOND:
      return 1000000n;
    case TimeUnit.NANOSECOND:
      return 1000000000n;
    default:
      unit satisfies never;
      throw new InvalidInputError(`unknown unit of time ${unit}`);
  }
}

function floatText(precision: Precision, values: Float32Array | Float64Array | Uint16Array): (row: number) => string {
  switch (precision) {
    case Precision.DOUBLE:
      return (row) => shortest(values[row]);
    case Precision.SINGLE:
      return (row) => shortest(values[row], Math.fround);
    case Precision.HALF:
      return (row) => shortest(halfToNumber(values[row]), (value) => halfToNumber(nearestHalf(value)));
    default:
      precision satisfies never;
      throw new InvalidInputError(`unknown precision ${precision}`);
  }
}

/** Returns the shortest text that gives `value` again when parsed and rounded to the stored width. */
function shortest(value: number, round?: (value: number) => number): string {
  if (Object.is(value, -0)) return "-0";
  const text = String(value);
  if (round === undefined || text.length < 8) return text;
  for (let digits = 1; digits <= 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (round(shorter) === value) return String(shorter);
  }
  return text;
}

/** Converts an IEEE 754 binary16 to a number. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Returns the binary16 number nearest to a finite number in its range, rounding ties to even. */
function nearestHalf(value: number): number {
  const size = Math.abs(value);
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const steps = size / 2 ** (exponent - 10);
  const floor = Math.floor(steps);
  const rest = steps - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  const bits = ((exponent + 14) << 10) + rounded;
  return value < 0 ? bits | 0x8000 : bits;
}

/** Maximum number of characters of a JavaScript string. */
const LONGEST_TEXT = 2 ** 29 - 24;

/** @throws {UnsupportedError} if the text, at `characters` per byte, exceeds the longest JavaScript string. */
function shortEnough(bytes: Uint8Array, characters: number): Uint8Array {
  if (bytes.length * characters <= LONGEST_TEXT) return bytes;
  throw new UnsupportedError(`a value of ${bytes.length} bytes is too long for text; write it as Arrow or Parquet`);
}

function hex(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += byte.toString(16).padStart(2, "0");
  return out;
}

function decimal(words: Uint32Array, scale: number): string {
  let value = 0n;
  for (let i = words.length - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[i]);
  value = BigInt.asIntN(words.length * 32, value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const text = scale > 0 ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits + "0".repeat(-scale);
  return value < 0n ? `-${text}` : text;
}
