/** What is written where a value is missing: Loom has no form for that. */

import type { Column } from "../../arrow/column.js";
import { handedDown } from "../../arrow/dense.js";
import { isOptionalEnum } from "../../arrow/enum.js";
import { decodedDictionary } from "../../arrow/written-values.js";
import { bitAt } from "../../kernels/values/bitmap.js";
import { allocate, type NumberArray, type StoredType } from "../../model/stored.js";

/** How many values are missing that the stored type has no form for. `column` has lost its lists of fixed size. */
export function missingIn(type: StoredType, column: Column): number {
  if (type.kind === "enum" && isOptionalEnum(type)) return 0;
  if (column.layout === "dictionary" && type.kind !== "enum") return missingIn(type, decodedDictionary(column));
  if (column.layout === "null") return column.length;
  const own = column.validity?.nullCount ?? 0;
  if (type.kind !== "record" || column.layout !== "struct") return own;
  return type.fields.reduce((sum, field, i) => sum + missingIn(field.type, flat(column.children[i])), own);
}

/** The column without its lists of fixed size; where a list is missing, all that is in it is. */
export function flat(column: Column): Column {
  let inner = column;
  while (inner.layout === "fixed-size-list") inner = handedDown(inner);
  return inner;
}

const WIDER = { 8: 16, 16: 32, 32: 64, 64: null } as const;

/** The type that has -1 beside all values of `type`; null where there is none. Other types stay as they are. */
export function withMinusOne(type: StoredType): StoredType | null {
  if (type.kind === "bool") return { kind: "int", bits: 8, signed: true };
  if (type.kind !== "int" || type.signed) return type;
  const bits = WIDER[type.bits];
  return bits === null ? null : { kind: "int", bits, signed: true };
}

/** Integers as those of another type, -1 where one is missing. */
export function minusOneWhereMissing(values: NumberArray, { validity, length }: Column, type: StoredType): NumberArray {
  const out = allocate(type, length);
  if (out instanceof BigInt64Array || out instanceof BigUint64Array) {
    for (let i = 0; i < length; i++) out[i] = BigInt(values[i]);
  } else {
    for (let i = 0; i < length; i++) out[i] = Number(values[i]);
  }
  if (validity === null) return out;
  for (let i = 0; i < length; i++) {
    if (bitAt(validity.bitmap, i)) continue;
    if (out instanceof BigInt64Array || out instanceof BigUint64Array) out[i] = -1n;
    else out[i] = -1;
  }
  return out;
}
