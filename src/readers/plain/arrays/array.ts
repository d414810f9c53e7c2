/**
 * Makes the table of an array: rows along its first dimension, in the column `value`, or in a column per field of a
 * record.
 */

import { storageMetadata } from "../../../arrow/storage-metadata.js";
import { storedTexts } from "../../../arrow/text.js";
import { type ArrowField, mayBeNull } from "../../../arrow/type.js";
import { lastReadArray, mappedArray } from "../../../containers/picked/mapped-array.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { columnType } from "../../../jobs/rows/columns.js";
import { UnsupportedError } from "../../../model/errors.js";
import {
  bytesOf,
  type FloatType,
  type IntType,
  type StoredType,
  type StoredValues,
  type VariableValues,
} from "../../../model/stored.js";
import { textAttribute } from "../../attributes.js";
import { arrayTable, nullTable, type TableElement } from "../../element.js";
import { missingTest, type Packing, packingOf, signedValues, unpacked } from "./cf-packing.js";
import { type CfTime, cfTicks, cfTime } from "./cf-time.js";
import type { PlainContext } from "./context.js";

/** @throws {UnsupportedError} for values without an Arrow type. */
export function arrayElement(stored: StoredArray, cx: PlainContext): TableElement {
  const decoded = cx.plain?.cf === true ? cfElement(stored, cx) : null;
  if (decoded !== null) return decoded;
  const array = withPaths(stored, cx);
  const { shape } = array;
  const references = referencesIn(stored.type);
  return shape === null
    ? nullTable({})
    : arrayTable(array, { kind: kindOf(array), shape, ...(references === null ? {} : { references }) });
}

function kindOf({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const isText = type.kind === "text";
  if (shape?.length === 0) return isText ? "string" : "numeric-scalar";
  return isText ? "string-array" : "array";
}

// References as the paths of the objects at which they point.

const PATH: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Replaces references by paths. Returns arrays without references unchanged. */
function withPaths(array: StoredArray, { paths }: PlainContext): StoredArray {
  if (!hasReferences(array.type)) return array;
  const { kind, path, id, attributes, shape, chunks } = array;
  const { type } = array;
  const pathOf = (value: bigint) => paths.of({ kind: "reference", bytes: bytesOf(BigUint64Array.of(value)) });
  return {
    ...{ kind, path, id, attributes, shape, chunks, type: pathType(type) },
    read: async (start, end, options) => pathValues(type, await array.read(start, end, options), pathOf),
  };
}

function hasReferences(type: StoredType): boolean {
  switch (type.kind) {
    case "reference":
      return true;
    case "sequence":
      return hasReferences(type.item);
    case "record":
      return type.fields.some((field) => hasReferences(field.type));
    default:
      return false;
  }
}

/**
 * Returns the information that a writer needs to convert paths to references again: `object` for an array of
 * references, `region` for region references; null for other arrays.
 */
function referencesIn(type: StoredType): "object" | "region" | null {
  if (type.kind === "reference") return "object";
  return type.kind === "record" && type.fields[0]?.type.kind === "reference" && type.fields[1]?.name === "selection"
    ? "region"
    : null;
}

function pathType(type: StoredType): StoredType {
  switch (type.kind) {
    case "reference":
      return PATH;
    case "sequence":
      return { ...type, item: pathType(type.item) };
    case "record":
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: pathType(field.type) })) };
    default:
      return type;
  }
}

function pathValues(type: StoredType, values: StoredValues, pathOf: (reference: bigint) => string): StoredValues {
  if (type.kind === "reference" && values.kind === "fixed") {
    const texts: string[] = [];
    for (const reference of values.values) texts.push(pathOf(BigInt(reference)));
    return storedTexts(texts);
  }
  if (type.kind === "sequence" && values.kind === "sequence") {
    return { ...values, values: pathValues(type.item, values.values, pathOf) };
  }
  if (type.kind === "record" && values.kind === "record") {
    return { ...values, fields: values.fields.map((field, i) => pathValues(type.fields[i].type, field, pathOf)) };
  }
  return values;
}

// The table of an array whose values are decoded by the CF conventions.

/**
 * Creates the table of the decoded values; null for an array that the conventions do not change. `cf` in the metadata
 * lists the attributes that describe the stored form.
 */
function cfElement(array: StoredArray, cx: PlainContext): TableElement | null {
  const { type } = array;
  if (type.kind === "text") return joinedCharacters(array);
  if (type.kind !== "int" && type.kind !== "float") return null;
  const found = timeOf(array, cx);
  const packing = packingOf(array, type, cx);
  if (found === null && packing === null) return null;
  if (type.kind === "float" && type.bits === 16) {
    cx.warn(`${array.path}: floats of 16 bits are not decoded by the CF conventions`);
    return null;
  }
  const own = packing ?? { type, missing: [], linear: null, names: [] };
  if (found !== null) {
    const { unit } = found;
    const decoded = mappedArray(array, { kind: "datetime", unit, step: 1 }, (values) => ticksOf(values, own, found));
    return element({ kind: "array", array: decoded }, decoded, [...own.names, "units", "calendar"]);
  }
  return element(...numbersOf(array, own), own.names);
}

/** Returns the encoding of times; null for other values. Warns and returns null for unsupported calendars. */
function timeOf(array: StoredArray, cx: PlainContext): CfTime | null {
  const units = textAttribute(array, "units");
  const found = units === undefined ? null : cfTime(units, textAttribute(array, "calendar"));
  if (typeof found !== "string") return found;
  cx.warn(`${array.path}: the times stay numbers: ${found}`);
  return null;
}

type Numbers = Parameters<Parameters<typeof mappedArray>[2]>[0];

function ticksOf(values: Numbers, packing: Packing, time: CfTime): BigInt64Array {
  const signed = signedValues(values, packing);
  return cfTicks(packing.linear === null ? signed : unpacked(signed, packing), missingTest(signed, packing), time);
}

function numbersOf(array: StoredArray, packing: Packing): [plan: ColumnPlan, decoded: StoredArray] {
  const type: IntType | FloatType = packing.linear === null ? packing.type : { kind: "float", bits: 64 };
  const decode = (values: Numbers) => unpacked(signedValues(values, packing), packing);
  if (packing.missing.length === 0) {
    const decoded = mappedArray(array, type, decode);
    return [{ kind: "array", array: decoded }, decoded];
  }
  // Values and mask are computed from a single read of the same rows.
  const shared = lastReadArray(array);
  const decoded = mappedArray(shared, type, decode);
  const mask = mappedArray(shared, { kind: "bool" }, (values) => {
    const signed = signedValues(values, packing);
    const isMissing = missingTest(signed, packing);
    const bytes = new Uint8Array(signed.length);
    for (let i = 0; i < bytes.length; i++) if (isMissing(i)) bytes[i] = 1;
    return bytes;
  });
  return [{ kind: "nullable", values: decoded, mask }, decoded];
}

function element(plan: ColumnPlan, array: StoredArray, names: readonly string[]): TableElement {
  const shape = array.shape ?? [];
  const type = columnType(plan);
  const isNullable = shape.length <= 1 && (plan.kind === "nullable" || mayBeNull(type));
  const fields: ArrowField[] = [{ name: "value", type, nullable: isNullable }];
  const own = array.type.kind === "text" ? "string-array" : "array";
  const kind = shape.length > 0 ? own : array.type.kind === "text" ? "string" : "numeric-scalar";
  const stored = storageMetadata(array.type);
  const metadata = { kind, shape, ...stored, cf: names };
  return { kind: "table", fields, metadata, rows: shape[0] ?? 1, plan: { kind: "columns", columns: [plan] }, shape };
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Joins single characters along the last dimension to texts; null for other arrays. */
function joinedCharacters(array: StoredArray): TableElement | null {
  const { type, shape, kind, path, id, attributes, chunks } = array;
  if (type.kind !== "text" || shape === null || shape.length < 2) return null;
  const { storage } = type;
  if (storage.form !== "fixed" || storage.width !== 1 || storage.padding === "spacepad") return null;
  const length = shape[shape.length - 1];
  const joined: StoredArray = {
    ...{ kind, path, id, attributes, type: TEXT, shape: shape.slice(0, -1), chunks: chunks?.slice(0, -1) ?? null },
    async read(start, end, options) {
      const read = await array.read(start, end, options);
      if (read.kind !== "variable") throw new UnsupportedError("no text", { element: path });
      return joinedText(read, length, (read.offsets.length - 1) / Math.max(1, length));
    },
  };
  return element({ kind: "array", array: joined }, joined, []);
}

/** Joins every `length` texts to one text. */
function joinedText({ offsets, bytes }: VariableValues, length: number, count: number): VariableValues {
  const to = new Int32Array(count + 1);
  for (let i = 0; i <= count; i++) to[i] = offsets[i * length];
  return { kind: "variable", offsets: to, bytes };
}
