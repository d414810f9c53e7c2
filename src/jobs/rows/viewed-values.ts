/** Columns with one value per row of an array or field: times, booleans, or text with a missing-value marker. */

import type { Column } from "../../arrow/column.js";
import { createNullableColumn, createStoredColumn } from "../../arrow/stored.js";
import type { TextFallback } from "../../arrow/text.js";
import { gatherMembers } from "../../kernels/values/gather-records.js";
import { takeVariable } from "../../kernels/values/take-elements.js";
import { InvalidDataError } from "../../model/errors.js";
import {
  countElements,
  createZeros,
  type FixedValues,
  type StoredField,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "../../model/stored.js";
import type { SinglePlan, ViewedPlan } from "../plan/plan.js";

/** Returns the type and shape of the values in one row. */
export function getRowValueType(values: SinglePlan): Pick<StoredField, "type" | "shape"> {
  const { type, shape } = values.array;
  if (values.kind === "array") return { type, shape: shape?.slice(1) ?? [] };
  if (type.kind !== "record") throw new TypeError("a compound array has a record type");
  return type.fields[values.field];
}

export function getViewedType({ values, type }: ViewedPlan): StoredType {
  return type ?? getRowValueType(values).type;
}

/**
 * Creates the column.
 * @param read the rows of the plan's array, which are not modified.
 */
export function createViewedColumn(plan: ViewedPlan, read: StoredValues, rows: number, text: TextFallback): Column {
  const { values, place, missing } = plan;
  const own = getRowValueType(values);
  const width = countElements(own.shape);
  if (place >= width) throw new InvalidDataError(`value ${place} of ${width} in a row`);
  const all = values.kind === "field" && read.kind === "record" ? read.fields[values.field] : read;
  const column = createStoredColumn(
    getViewedType(plan),
    retyped(plan.type, placed(all, place, width, rows)),
    rows,
    text,
  );
  return missing === null || all.kind !== "variable"
    ? column
    : createNullableColumn(column, wordMask(all, place, width, rows, new TextEncoder().encode(missing)));
}

/** Returns the value at index `place` of each row. */
function placed(all: StoredValues, place: number, width: number, rows: number): StoredValues {
  if (width === 1) return all;
  switch (all.kind) {
    case "fixed":
      return everyNth(all, place, width, rows);
    case "variable":
      return takeVariable(
        all,
        Int32Array.from({ length: rows }, (_, i) => i * width + place),
      );
    case "record":
    case "sequence":
      throw new InvalidDataError("records or lists in a block of columns");
    default:
      return all satisfies never;
  }
}

function everyNth({ values }: FixedValues, place: number, width: number, rows: number): FixedValues {
  // A complex number consists of two values.
  const per = values.length / Math.max(1, rows * width);
  const size = values.BYTES_PER_ELEMENT * (Number.isInteger(per) ? per : 1);
  const out = createZeros(values, (rows * size) / values.BYTES_PER_ELEMENT);
  const members = [{ offset: place * size, width: size, target: viewAsBytes(out) }];
  gatherMembers(viewAsBytes(values), width * size, rows, members);
  return { kind: "fixed", values: out };
}

/** Returns the values as the typed array of `type`. */
function retyped(type: StoredType | null, read: StoredValues): StoredValues {
  if (type === null || read.kind !== "fixed") return read;
  const { values } = read;
  switch (type.kind) {
    case "datetime":
    case "timedelta":
      return { kind: "fixed", values: values instanceof BigInt64Array ? values : BigInt64Array.from(values, BigInt) };
    case "bool":
      if (values.BYTES_PER_ELEMENT !== 1) throw new InvalidDataError("booleans of more than one byte");
      return { kind: "fixed", values: viewAsBytes(values) };
    default:
      return read;
  }
}

/** Returns a mask that is 1 where the text is the missing-value marker. */
function wordMask(
  { offsets, bytes }: VariableValues,
  place: number,
  width: number,
  rows: number,
  word: Uint8Array,
): Uint8Array {
  const mask = new Uint8Array(rows);
  for (let i = 0, k = place; i < rows; i++, k += width) {
    const at = offsets[k];
    if (offsets[k + 1] - at !== word.length) continue;
    let same = 0;
    while (same < word.length && bytes[at + same] === word[same]) same++;
    if (same === word.length) mask[i] = 1;
  }
  return mask;
}
