/** Formats the values of a column as exact JSON text, for the `value` column of derived tables. */

import { isBitSet } from "../kernels/values/bitmap.js";
import { decodeFloat16 } from "../kernels/values/number-bits.js";
import { viewAsBytes } from "../model/stored.js";
import type { Column } from "./column.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Formats value `i` as JSON: integers with all their digits, NaN and infinities as "NaN", "Infinity", "-Infinity",
 * bytes as hexadecimal text, and times as a number of units.
 */
export function encodeJsonValue(column: Column, i: number): string {
  return textOf(column, i, float);
}

/**
 * Returns a text that is equal for two values of one type only if all their bits are equal: NaNs that differ in sign or
 * payload count as different values.
 */
export function computeValueIdentity(column: Column, i: number): string {
  return textOf(column, i, (value, bits) => (Number.isNaN(value) ? `NaN ${bits()}` : float(value)));
}

/** Formats a value as text. @param float formats a float; `bits` returns the float's bytes as hexadecimal text. */
function textOf(column: Column, i: number, float: (value: number, bits: () => string) => string): string {
  const text = (inner: Column, k: number) => textOf(inner, k, float);
  if (column.validity !== null && !isBitSet(column.validity.bitmap, i)) return "null";
  switch (column.layout) {
    case "null":
      return "null";
    case "primitive":
      switch (column.type.id) {
        case "Bool":
          return isBitSet(viewAsBytes(column.values), i) ? "true" : "false";
        case "FixedSizeBinary":
          return hex(viewAsBytes(column.values).subarray(i * column.type.width, (i + 1) * column.type.width));
        case "Float": {
          const stored = column.values.subarray(i, i + 1);
          const value = Number(stored[0]);
          return float(column.type.bits === 16 ? decodeFloat16(value) : value, () => hex(viewAsBytes(stored)));
        }
        case "Int":
        case "Date32":
        case "Timestamp":
        case "Duration":
          return String(column.values[i]);
        default:
          return column.type satisfies never;
      }
    case "variable": {
      const bytes = column.bytes.subarray(column.offsets[i], column.offsets[i + 1]);
      return column.type.id === "Binary" ? hex(bytes) : JSON.stringify(decoder.decode(bytes));
    }
    case "list":
      return list(column.child, column.offsets[i], column.offsets[i + 1], text);
    case "fixed-size-list":
      return list(column.child, i * column.type.size, (i + 1) * column.type.size, text);
    case "struct":
      return `{${column.children.map((child, k) => `${JSON.stringify(column.type.fields[k].name)}:${text(child, i)}`).join(",")}}`;
    case "dictionary":
      return text(column.dictionary, Number(column.indices[i]));
    case "union":
      return text(column.children[column.typeIds[i]], column.offsets[i]);
    default:
      return column satisfies never;
  }
}

export function encodeJsonList(column: Column): string {
  return list(column, 0, column.length, encodeJsonValue);
}

function list(column: Column, start: number, end: number, text: typeof encodeJsonValue): string {
  return `[${Array.from({ length: end - start }, (_, k) => text(column, start + k)).join(",")}]`;
}

function float(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return JSON.stringify(String(value));
}

function hex(bytes: Uint8Array): string {
  return JSON.stringify(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}
