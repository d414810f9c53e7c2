/** Returns the stored types of Loom's own arrays, and the chunks of Loom's matrices. */

import type { Column } from "../../arrow/column.js";
import { getListItems } from "../../arrow/dense.js";
import { isOptionalEnum } from "../../arrow/enum.js";
import { encodeStoredTexts } from "../../arrow/text.js";
import { decodeDictionary } from "../../arrow/written-values.js";
import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { isBitSet } from "../../kernels/values/bitmap.js";
import { allocate, type NumberArray, type StoredType, type TextStorage } from "../../model/stored.js";

export type WrittenLoomVersion = "3.0.0" | "2.0.1";

export const INT32 = { kind: "int", bits: 32, signed: true } as const satisfies StoredType;
export const INT64 = { kind: "int", bits: 64, signed: true } as const satisfies StoredType;
export const UINT8 = { kind: "int", bits: 8, signed: false } as const satisfies StoredType;
export const FLOAT64 = { kind: "float", bits: 64 } as const satisfies StoredType;

export const VARIABLE_TEXT: TextStorage = { form: "variable", encoding: "utf-8" };

/** The storage that loompy 2 uses for text of `width` bytes. */
export function createAsciiStorage(width: number): TextStorage {
  return { form: "fixed", encoding: "ascii", width: Math.max(1, width), padding: "nullpad" };
}

export function createAsciiAttribute(text: string, version: WrittenLoomVersion): WrittenAttribute {
  const storage = version === "3.0.0" ? VARIABLE_TEXT : createAsciiStorage(text.length);
  return { type: { kind: "text", storage }, shape: [], values: encodeStoredTexts([text]) };
}

/** loompy's chunks have 64 genes x 64 cells. */
const CHUNK = 64;

export function computeMatrixChunks([rows, cols]: readonly [number, number]): [number, number] {
  return [Math.max(1, Math.min(CHUNK, rows)), Math.max(1, Math.min(CHUNK, cols))];
}

/** Counts missing values that the stored type cannot represent. `column` has had its fixed-size lists removed. */
export function countUnstorableMissing(type: StoredType, column: Column): number {
  if (type.kind === "enum" && isOptionalEnum(type)) return 0;
  if (column.layout === "dictionary" && type.kind !== "enum")
    return countUnstorableMissing(type, decodeDictionary(column));
  if (column.layout === "null") return column.length;
  const own = column.validity?.nullCount ?? 0;
  if (type.kind !== "record" || column.layout !== "struct") return own;
  return type.fields.reduce(
    (sum, field, i) => sum + countUnstorableMissing(field.type, flattenFixedLists(column.children[i])),
    own,
  );
}

/** Removes the fixed-size lists around a column's items. The items of a missing list become missing. */
export function flattenFixedLists(column: Column): Column {
  let inner = column;
  while (inner.layout === "fixed-size-list") inner = getListItems(inner);
  return inner;
}

const WIDER = { 8: 16, 16: 32, 32: 64, 64: null } as const;

/**
 * Returns a type that can hold -1 and all values of `type`; null if there is none. Types other than integers are
 * returned unchanged.
 */
export function withMinusOne(type: StoredType): StoredType | null {
  if (type.kind === "bool") return { kind: "int", bits: 8, signed: true };
  if (type.kind !== "int" || type.signed) return type;
  const bits = WIDER[type.bits];
  return bits === null ? null : { kind: "int", bits, signed: true };
}

/** Converts integers to another type, with -1 for missing values. */
export function fillMissingWithMinusOne(
  values: NumberArray,
  { validity, length }: Column,
  type: StoredType,
): NumberArray {
  const out = allocate(type, length);
  if (out instanceof BigInt64Array || out instanceof BigUint64Array) {
    for (let i = 0; i < length; i++) out[i] = BigInt(values[i]);
  } else {
    for (let i = 0; i < length; i++) out[i] = Number(values[i]);
  }
  if (validity === null) return out;
  for (let i = 0; i < length; i++) {
    if (isBitSet(validity.bitmap, i)) continue;
    if (out instanceof BigInt64Array || out instanceof BigUint64Array) out[i] = -1n;
    else out[i] = -1;
  }
  return out;
}
