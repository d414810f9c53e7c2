/** Values of any Arrow type as text. */

import { type Data, DataType, Vector } from "apache-arrow";
import { visibleDirections } from "../answers/visible-names.js";
import { dayText, decimalText, durationText, integerOf, momentText, timeText } from "./exact-text.js";

/** Maximum length of text in a table cell, in characters; the detail view shows all of it. */
const LONGEST = 300;
/** Maximum number of list items in a table cell. */
const MOST_ITEMS = 20;
/** Number of significant digits in a table cell; the detail view shows all of them. */
const DIGITS = 6;

/** Returns the text of a value in a table cell; null for a missing value. */
export function cellText(vector: Vector, index: number, item: number | null = null): string | null {
  const whole = wholeText(vector, index, item, MOST_ITEMS);
  if (whole === null) return null;
  const type: DataType = item === null ? vector.type : (vector.type.children?.[0]?.type ?? vector.type);
  if (DataType.isFloat(type)) return shortNumber(whole);
  return visible(whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole);
}

/** Returns the complete text of a value; null for a missing value. */
export function wholeText(
  vector: Vector,
  index: number,
  item: number | null = null,
  most = Number.POSITIVE_INFINITY,
): string | null {
  if (item !== null) {
    const list: unknown = vector.get(index);
    return list instanceof Vector ? wholeText(list, item, null, most) : null;
  }
  let offset = index;
  for (const data of vector.data) {
    if (offset < data.length) return data.getValid(offset) ? textIn(vector, data, index, offset, most) : null;
    offset -= data.length;
  }
  return null;
}

/**
 * Replaces control characters, which would be invisible, by their symbols, and characters that change the text
 * direction by their code points, because they could make a text look like another text.
 */
export function visible(text: string): string {
  return visibleDirections(text).replaceAll(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 32 ? String.fromCharCode(0x2400 + code) : "�";
  });
}

function textIn(vector: Vector, data: Data, index: number, offset: number, most: number): string | null {
  const type: DataType = data.type;
  if (DataType.isDictionary(type)) {
    return data.dictionary === undefined ? null : wholeText(data.dictionary, Number(data.values[offset]), null, most);
  }
  // apache-arrow returns timestamps as milliseconds in a double, which loses digits; the stored integers are exact.
  if (DataType.isTimestamp(type)) return momentText(integerAt(data, offset), type.unit, type.timezone ?? null);
  if (DataType.isDuration(type)) return durationText(integerAt(data, offset), type.unit);
  if (DataType.isTime(type)) return timeText(integerAt(data, offset), type.unit);
  if (DataType.isDate(type)) return dayText(integerAt(data, offset), type.unit);
  if (DataType.isDecimal(type)) {
    const words = type.bitWidth / 32;
    return decimalText(integerOf(data.values.subarray(offset * words, (offset + 1) * words)), type.scale);
  }
  const value: unknown = vector.get(index);
  if (typeof value === "number" && DataType.isFloat(type) && type.precision === 1) return floatText(value);
  return plainText(value, most, false);
}

function integerAt(data: Data, offset: number): bigint {
  const { values } = data;
  if (values instanceof Int32Array && values.length >= 2 * data.length) {
    return (BigInt(values[2 * offset + 1]) << 32n) | BigInt(values[2 * offset] >>> 0);
  }
  return BigInt(values[offset]);
}

/** Formats a value without a known type: list items, struct fields. */
function plainText(value: unknown, most: number, isInside: boolean): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return isInside ? JSON.stringify(value) : value;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bytesText(value, most);
  if (value instanceof Vector || ArrayBuffer.isView(value)) {
    const items: string[] = [];
    const list = value instanceof Vector ? value : Array.from(value as Float64Array);
    const isSingle = value instanceof Vector && DataType.isFloat(value.type) && value.type.precision === 1;
    for (const item of list) {
      if (items.length === most) return `[${items.join(", ")}, … ${list.length.toLocaleString("en")} items]`;
      items.push(isSingle && typeof item === "number" ? floatText(item) : plainText(item, most, true));
    }
    return `[${items.join(", ")}]`;
  }
  if (typeof value === "object") {
    const entries: Iterable<readonly [unknown, unknown]> =
      Symbol.iterator in value ? (value as Iterable<readonly [unknown, unknown]>) : Object.entries(value);
    const texts = Array.from(entries, ([key, item]) => `${String(key)}: ${plainText(item, most, true)}`);
    return `{${texts.join(", ")}}`;
  }
  return String(value);
}

function bytesText(bytes: Uint8Array, most: number): string {
  const shown = bytes.subarray(0, Math.min(bytes.length, most * 2));
  const digits = Array.from(shown, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `${bytes.length.toLocaleString("en")} bytes: ${digits}${shown.length < bytes.length ? " …" : ""}`;
}

function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Returns the shortest decimal number that uniquely identifies a float32. */
function floatText(value: number): string {
  if (Number.isFinite(value)) {
    for (let digits = 1; digits <= 9; digits++) {
      const text = Number(value.toPrecision(digits));
      if (Math.fround(text) === value) return numberText(text);
    }
  }
  return numberText(value);
}

/** Shortens a number to a few digits, since a number that is cut off would be wrong. */
export function shortNumber(text: string): string {
  if (text.length <= DIGITS + 3) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  return numberText(Number(value.toPrecision(DIGITS)));
}
