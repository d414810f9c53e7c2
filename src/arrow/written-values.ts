/** Converts columns to flat stored values, the inverse of `stored.ts` and `dense.ts`. */

import { isBitSet, unpackBits } from "../kernels/values/bitmap.js";
import { encodeFloat16 } from "../kernels/values/number-bits.js";
import { UnsupportedElementError } from "../model/errors.js";
import {
  allocate,
  countElements,
  type FixedValues,
  type NumberArray,
  type SequenceType,
  type SequenceValues,
  type StoredType,
  type StoredValues,
  viewAsBytes,
} from "../model/stored.js";
import type { Column, DictionaryColumn } from "./column.js";
import { getListItems } from "./dense.js";
import { isOptionalEnum, toEnumValues } from "./enum.js";
import { sliceColumn, takeColumn } from "./take.js";
import { toDateValues, toTemporalValues } from "./temporal.js";
import { checkFixedText, toVariableValues } from "./text.js";
import { describeArrowType } from "./type.js";
import type { WrittenType } from "./written-type.js";

/**
 * Rule for a missing value if the stored type cannot represent it: raise an error, or store the value that pandas
 * leaves there (NaN for floats; otherwise zero, false or nothing).
 */
export type NullRule = "error" | "fill";

/**
 * Returns the values of a column in the type of `form`, in C order, reusing the column's memory if possible. Under both
 * rules, missing times become NaT, and missing booleans in an enum with an NA member become NA.
 * @throws {InvalidInputError} for a missing value if the rule is "error", or for a value that the stored type cannot
 * hold.
 * @throws {TypeError} if the column does not have the form.
 */
export function toStoredValues(form: WrittenType, column: Column, nulls: NullRule = "error"): StoredValues {
  let flat = column;
  for (const size of form.shape) {
    if (flat.layout !== "fixed-size-list" || flat.type.size !== size) {
      throw new TypeError(
        `rows of shape ${JSON.stringify(form.shape)} expected, not ${describeArrowType(column.type)}`,
      );
    }
    if (nulls === "error") checkPresent(flat, 1, "an array of more dimensions");
    flat = getListItems(flat);
  }
  return flatValues(form.type, flat, nulls, Math.max(1, countElements(form.shape)));
}

/** Makes records from the columns of one batch, with one column per field of `type`. */
export function recordValues(
  type: Extract<StoredType, { kind: "record" }>,
  columns: readonly Column[],
  length: number,
  nulls: NullRule = "error",
): StoredValues {
  return { kind: "record", length, fields: type.fields.map((one, i) => toStoredValues(one, columns[i], nulls)) };
}

/** Converts the values of a column without lists. @param per number of values in a row, for messages. */
function flatValues(type: StoredType, column: Column, nulls: NullRule, per: number): StoredValues {
  if (column.layout === "dictionary" && type.kind !== "enum") {
    return flatValues(type, decodeDictionary(column), nulls, per);
  }
  const { length } = column;
  if (nulls === "error" && !hasNull(type)) checkPresent(column, per, `an array of ${type.kind} values`);
  switch (type.kind) {
    case "bool":
      return { kind: "fixed", values: cleared(column, unpackBits(viewAsBytes(primitive(column)), length), 0, 1) };
    case "int":
      return { kind: "fixed", values: cleared(column, primitive(column, type), 0, 1) };
    case "float":
      return {
        kind: "fixed",
        values: cleared(column, primitive(column, type), type.bits === 16 ? encodeFloat16(Number.NaN) : Number.NaN, 1),
      };
    case "complex":
      return { kind: "fixed", values: complexValues(column, type.bits) };
    case "bytes":
      if (type.width === null) return toVariableValues(variable(column));
      return {
        kind: "fixed",
        values: cleared(column, primitive(column).subarray(0, length * type.width), 0, type.width),
      };
    case "text": {
      const values = toVariableValues(variable(column));
      checkFixedText(values, type.storage);
      return values;
    }
    case "enum":
      return { kind: "fixed", values: toEnumValues(type, column) };
    case "datetime":
    case "timedelta":
      if (column.layout !== "primitive") throw mismatch(type, column);
      if (type.isDate) return { kind: "fixed", values: toDateValues(column) };
      return { kind: "fixed", values: toTemporalValues(type.kind, type.unit, type.step, column) };
    case "record": {
      if (column.layout !== "struct") throw mismatch(type, column);
      const { children } = handedDownStruct(column);
      return recordValues(type, children, length, nulls);
    }
    case "sequence":
      return sequenceValues(type, column, nulls);
    case "reference":
    case "unsupported":
      throw mismatch(type, column);
    default:
      return type satisfies never;
  }
}

/** Returns the items of lists. If nulls may be filled, a null list becomes an empty one. */
function sequenceValues(type: SequenceType, column: Column, nulls: NullRule): SequenceValues {
  if (column.layout !== "list") throw mismatch(type, column);
  const { length, validity, child } = column;
  const bitmap = validity?.bitmap ?? null;
  const first = column.offsets[0];
  if (bitmap === null) {
    const offsets = column.offsets.slice(0, length + 1);
    if (first !== 0) for (let i = 0; i <= length; i++) offsets[i] -= first;
    const items = sliceColumn(child, first, first + offsets[length]);
    return { kind: "sequence", offsets, values: toStoredValues(itemForm(type), items, nulls) };
  }
  const offsets = new Int32Array(length + 1);
  const places: number[] = [];
  for (let i = 0; i < length; i++) {
    if (isBitSet(bitmap, i)) for (let k = column.offsets[i]; k < column.offsets[i + 1]; k++) places.push(k);
    offsets[i + 1] = places.length;
  }
  return {
    kind: "sequence",
    offsets,
    values: toStoredValues(itemForm(type), takeColumn(child, Int32Array.from(places)), nulls),
  };
}

function itemForm({ item, shape = [] }: SequenceType): WrittenType {
  return { type: item, shape };
}

export function decodeDictionary(column: DictionaryColumn): Column {
  const places = new Int32Array(column.length);
  const bitmap = column.validity?.bitmap ?? null;
  for (let i = 0; i < places.length; i++) {
    places[i] = bitmap !== null && !isBitSet(bitmap, i) ? -1 : Number(column.indices[i]);
  }
  return takeColumn(column.dictionary, places);
}

function hasNull(type: StoredType): boolean {
  return type.kind === "datetime" || type.kind === "timedelta" || (type.kind === "enum" && isOptionalEnum(type));
}

function checkPresent(column: Column, per: number, what: string): void {
  const missing = findFirstMissing(column);
  if (missing < 0) return;
  throw new UnsupportedElementError(
    `row ${Math.floor(missing / per)} of ${column.length / per} has a missing value, for which ${what} has no form`,
  );
}

/** Returns the position of the first null, or -1. */
export function findFirstMissing(column: Column): number {
  if (column.layout === "null") return column.length === 0 ? -1 : 0;
  if (column.validity === null || column.validity.nullCount === 0) return -1;
  const { bitmap } = column.validity;
  for (let i = 0; i < column.length; i++) if (!isBitSet(bitmap, i)) return i;
  return -1;
}

/** Returns the first `length` x `per` values, with `filler` in place of nulls. */
function cleared(column: Column, values: NumberArray, filler: number, per: number): NumberArray {
  const own = values.length === column.length * per ? values : values.subarray(0, column.length * per);
  if (column.validity === null || column.validity.nullCount === 0) return own;
  const { bitmap } = column.validity;
  const out = own.slice();
  const wide = out instanceof BigInt64Array || out instanceof BigUint64Array;
  for (let i = 0; i < column.length; i++) {
    if (isBitSet(bitmap, i)) continue;
    if (wide) out[i] = 0n;
    else out.fill(filler, i * per, (i + 1) * per);
  }
  return out;
}

function complexValues(column: Column, bits: 64 | 128): NumberArray {
  if (column.layout !== "struct" || column.children.length !== 2) throw mismatch({ kind: "complex", bits }, column);
  const type: StoredType = { kind: "float", bits: bits === 64 ? 32 : 64 };
  const out = allocate({ kind: "complex", bits }, column.length);
  // Values are moved as words to preserve the bits of signalling NaNs.
  const to = bits === 64 ? new Uint32Array(out.buffer) : new BigUint64Array(out.buffer);
  for (const [part, child] of handedDownStruct(column).children.entries()) {
    const numbers = cleared(child, primitive(child, type), Number.NaN, 1);
    const from =
      bits === 64
        ? new Uint32Array(numbers.buffer, numbers.byteOffset, column.length)
        : new BigUint64Array(numbers.buffer, numbers.byteOffset, column.length);
    for (let i = 0; i < column.length; i++) to[2 * i + part] = from[i];
  }
  return out;
}

/** Moves the nulls of a struct to its children. */
function handedDownStruct(column: Extract<Column, { layout: "struct" }>): Extract<Column, { layout: "struct" }> {
  const own = column.validity;
  if (own === null || own.nullCount === 0) return column;
  const places = Int32Array.from({ length: column.length }, (_, i) => (isBitSet(own.bitmap, i) ? i : -1));
  return { ...column, children: column.children.map((child) => takeColumn(child, places)) };
}

function primitive(column: Column, type?: StoredType): NumberArray {
  if (column.layout !== "primitive") throw mismatch(type ?? { kind: "bool" }, column);
  if (type === undefined) return column.values;
  if (column.values.constructor !== allocate(type, 0).constructor) throw mismatch(type, column);
  return column.values;
}

function variable(column: Column): Extract<Column, { layout: "variable" }> {
  if (column.layout !== "variable") throw mismatch({ kind: "bytes", width: null }, column);
  return column;
}

function mismatch(type: StoredType, column: Column): TypeError {
  return new TypeError(`${describeArrowType(column.type)} is not the Arrow type of ${JSON.stringify(type)}`);
}

/** Splits a column into its values (nulls become zero, false or empty) and the mask (1 = null). */
export function splitNullableValues(
  form: WrittenType,
  column: Column,
): { readonly values: StoredValues; readonly mask: FixedValues } {
  return { values: toStoredValues(form, column, "fill"), mask: { kind: "fixed", values: createMissingMask(column) } };
}

/** Returns 1 for nulls, else 0. */
export function createMissingMask({ layout, length, validity }: Column): Uint8Array {
  if (layout === "null") return new Uint8Array(length).fill(1);
  if (validity === null || validity.nullCount === 0) return new Uint8Array(length);
  const mask = unpackBits(validity.bitmap, length);
  for (let i = 0; i < length; i++) mask[i] ^= 1;
  return mask;
}
