/** Makes one column from the elements of a cell, or from one field in a struct array. */

import { createMemoryArray } from "../../../containers/picked/memory-array.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import { countElements, type StoredType } from "../../../model/stored.js";
import { listPlan } from "./chars.js";
import { concatArray, createMatlabTextArray } from "./memory-array.js";
import { toColumnMajorArray } from "./numeric.js";
import { joinStrings } from "./strings.js";
import { joinTimes } from "./times.js";
import {
  type CharValue,
  createMissingColumn,
  isText,
  type NumericValue,
  type ObjectValue,
  type Value,
  type ValueColumn,
} from "./value.js";

/**
 * Creates a column with one row per element, if all elements are texts, or all are scalars of the same class.
 * @returns null for other elements.
 */
export async function createElementColumn(path: string, items: readonly Value[]): Promise<ValueColumn | null> {
  const [first] = items;
  if (first === undefined) return null;
  if (items.every(isText)) return textColumn(path, items);
  if (items.some((item) => item.class !== first.class || item.kind !== first.kind)) return null;
  if (items.every(isScalar)) {
    const [{ type }] = items;
    if (items.some((item) => !sameType(item.type, type))) return null;
    return numberColumn(
      items,
      { kind: "array", array: concatArray(path, type, items.map(toColumnMajorArray)) },
      "array",
    );
  }
  if (items.every(isObject)) {
    if (first.class === "string") return await joinStrings(path, items);
    if (first.class === "datetime" || first.class === "duration") return await joinTimes(items);
    if (first.class === "missing" && items.every(({ size }) => size.length === 2 && countElements(size) === 1)) {
      return createMissingColumn(items.length, [items.length], { class: "missing" });
    }
  }
  return null;
}

/**
 * Like `createElementColumn`, but also makes a column of lists if all elements are arrays of real numbers of the same
 * class.
 */
export async function createFieldColumn(path: string, items: readonly Value[]): Promise<ValueColumn | null> {
  const column = await createElementColumn(path, items);
  if (column !== null || !items.every(isNumeric)) return column;
  const [{ type, class: name }] = items;
  const isReal = type.kind !== "complex" && type.kind !== "record";
  if (!isReal || items.some((item) => item.class !== name || !sameType(item.type, type))) return null;
  const offsets = new BigInt64Array(items.length + 1);
  for (const [i, { size }] of items.entries()) offsets[i + 1] = offsets[i] + BigInt(countElements(size));
  const plan = listPlan(
    items.length,
    createMemoryArray(`${path}/offsets`, OFFSETS, [offsets.length], { kind: "fixed", values: offsets }),
    concatArray(path, type, items.map(toColumnMajorArray)),
  );
  return numberColumn(items, plan, "awkward-array");
}

const OFFSETS: StoredType = { kind: "int", bits: 64, signed: true };

function numberColumn(items: readonly NumericValue[], plan: ValueColumn["plan"], kind: string): ValueColumn {
  const isScalars = items.every(({ size }) => size.length === 2 && countElements(size) === 1);
  const sizes = isScalars ? {} : { sizes: items.map(({ size }) => size) };
  const metadata = { class: items[0].class, ...sizes, ...elementMetadata(items) };
  return { plan, nullable: false, rows: items.length, size: [items.length], kind, metadata };
}

function isNumeric(value: Value): value is NumericValue {
  return value.kind === "numeric";
}

function isScalar(value: Value): value is NumericValue {
  return value.kind === "numeric" && value.size.length === 2 && countElements(value.size) === 1;
}

function isObject(value: Value): value is ObjectValue {
  return value.kind === "object";
}

function textColumn(path: string, items: readonly CharValue[]): ValueColumn {
  const texts: string[] = [];
  for (const { texts: own } of items) if (own !== null) texts.push(own[0] ?? "");
  const array: StoredArray =
    texts.length === items.length ? createMatlabTextArray(path, texts) : lazyTexts(path, items);
  // An empty text is 0 x 0, unless `sizes` specifies 1 x 0.
  const odd = items.some(({ size }) => size[0] === 1 && size[1] === 0);
  const sizes = odd ? { sizes: items.map(({ size }) => size) } : {};
  const metadata = { class: "char", ...sizes, ...elementMetadata(items) };
  const plan = { kind: "array", array } as const;
  return { plan, nullable: false, rows: items.length, size: [items.length], kind: "string-array", metadata };
}

function lazyTexts(path: string, items: readonly CharValue[]): StoredArray {
  const type: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };
  const parts = items.map(({ column, texts }): StoredArray => {
    if (texts !== null || column.kind !== "array") return createMatlabTextArray(path, [texts?.[0] ?? ""]);
    return column.array;
  });
  return concatArray(path, type, parts);
}

/** Returns the metadata of the elements: only once if all are equal, otherwise per element. */
function elementMetadata(items: readonly Value[]): Readonly<Record<string, unknown>> {
  const all = items.map(({ metadata }) => metadata);
  const isBare = all.every((one) => Object.keys(one).length === 0);
  const texts = isBare ? new Set() : new Set(all.map((one) => JSON.stringify(one)));
  if (texts.size > 1) return { elements: all };
  return Object.keys(all[0]).length === 0 ? {} : { element: all[0] };
}

function sameType(a: StoredType, b: StoredType): boolean {
  if (a === b) return true;
  if (a.kind === "float" && b.kind === "float") return a.bits === b.bits;
  return a.kind === b.kind && JSON.stringify(a) === JSON.stringify(b);
}
