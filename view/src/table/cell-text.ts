/** Values of any Arrow type as text. */

import { type Data, DataType, Vector } from "apache-arrow";
import { visibleDirections } from "../answers/visible-names.js";
import { dayText, decimalText, durationText, integerOf, momentText, timeText } from "./exact-text.js";

/** Characters of a text that a cell has at most; the detail of a cell has all of them. */
const LONGEST = 300;
/** Items of a list that a cell has at most. */
const MOST_ITEMS = 20;
/** Digits by which a cell shows a number; the detail of a cell has all of them. */
const DIGITS = 6;

/** The value at a position as a cell shows it; null for a missing one. */
export function cellText(vector: Vector, index: number, item: number | null = null): string | null {
  const whole = wholeText(vector, index, item, MOST_ITEMS);
  if (whole === null) return null;
  const type: DataType = item === null ? vector.type : (vector.type.children?.[0]?.type ?? vector.type);
  if (DataType.isFloat(type)) return shortNumber(whole);
  return visible(whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole);
}

/** The value at a position as text with nothing left out; null for a missing one. */
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
 * Text with control characters, which would be seen as nothing, as their pictures, and with the numbers of characters that
 * change the direction of a text: they would make it look like another one.
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
  // apache-arrow gives moments as milliseconds in a double, which lose digits; the stored integers have all of them.
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

/** A stored integer of 32 or 64 bits. */
function integerAt(data: Data, offset: number): bigint {
  const { values } = data;
  if (values instanceof Int32Array && values.length >= 2 * data.length) {
    return (BigInt(values[2 * offset + 1]) << 32n) | BigInt(values[2 * offset] >>> 0);
  }
  return BigInt(values[offset]);
}

/** A value of no type that is known: items of lists, fields of structs. */
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

/** The shortest decimal number that is this float32 and no other. */
function floatText(value: number): string {
  if (Number.isFinite(value)) {
    for (let digits = 1; digits <= 9; digits++) {
      const text = Number(value.toPrecision(digits));
      if (Math.fround(text) === value) return numberText(text);
    }
  }
  return numberText(value);
}

/** A number by a few digits: a number that does not fit its cell must not be cut. */
export function shortNumber(text: string): string {
  if (text.length <= DIGITS + 3) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  return numberText(Number(value.toPrecision(DIGITS)));
}
