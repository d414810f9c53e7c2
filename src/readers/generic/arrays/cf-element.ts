/** The table for an array whose values are decoded according to the CF conventions. */

import { toStorageMetadata } from "../../../arrow/storage-metadata.js";
import { type ArrowField, mayBeNull } from "../../../arrow/type.js";
import { createLastReadArray, createMappedArray } from "../../../containers/picked/mapped-array.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { getColumnType } from "../../../jobs/rows/columns.js";
import { UnsupportedError } from "../../../model/errors.js";
import type { FloatType, IntType, StoredType, VariableValues } from "../../../model/stored.js";
import { getTextAttribute } from "../../attributes.js";
import type { TableElement } from "../../element.js";
import { createMissingTest, findPacking, type Packing, toSignedValues, unpackValues } from "./cf-packing.js";
import { type CfTime, computeCfTicks, parseCfTime } from "./cf-time.js";
import type { GenericContext } from "./context.js";

/**
 * Creates the table for the decoded values; null if the conventions do not change the array. `cf` in the metadata lists
 * the attributes that describe the stored form.
 */
export function createCfElement(array: StoredArray, cx: GenericContext): TableElement | null {
  const { type } = array;
  if (type.kind === "text") return joinedCharacters(array);
  if (type.kind !== "int" && type.kind !== "float") return null;
  const found = timeOf(array, cx);
  const packing = findPacking(array, type, cx);
  if (found === null && packing === null) return null;
  if (type.kind === "float" && type.bits === 16) {
    cx.warn(`${array.path}: floats of 16 bits are not decoded by the CF conventions`);
    return null;
  }
  const own = packing ?? { type, missing: [], linear: null, names: [] };
  if (found !== null) {
    const { unit } = found;
    const decoded = createMappedArray(array, { kind: "datetime", unit, step: 1 }, (values) =>
      ticksOf(values, own, found),
    );
    return element({ kind: "array", array: decoded }, decoded, [...own.names, "units", "calendar"]);
  }
  return element(...numbersOf(array, own), own.names);
}

/** Returns how times are encoded; null for other values. For unsupported calendars, it warns and returns null. */
function timeOf(array: StoredArray, cx: GenericContext): CfTime | null {
  const units = getTextAttribute(array, "units");
  const found = units === undefined ? null : parseCfTime(units, getTextAttribute(array, "calendar"));
  if (typeof found !== "string") return found;
  cx.warn(`${array.path}: the times stay numbers: ${found}`);
  return null;
}

type Numbers = Parameters<Parameters<typeof createMappedArray>[2]>[0];

function ticksOf(values: Numbers, packing: Packing, time: CfTime): BigInt64Array {
  const signed = toSignedValues(values, packing);
  return computeCfTicks(
    packing.linear === null ? signed : unpackValues(signed, packing),
    createMissingTest(signed, packing),
    time,
  );
}

function numbersOf(array: StoredArray, packing: Packing): [plan: ColumnPlan, decoded: StoredArray] {
  const type: IntType | FloatType = packing.linear === null ? packing.type : { kind: "float", bits: 64 };
  const decode = (values: Numbers) => unpackValues(toSignedValues(values, packing), packing);
  if (packing.missing.length === 0) {
    const decoded = createMappedArray(array, type, decode);
    return [{ kind: "array", array: decoded }, decoded];
  }
  // Values and mask are computed from a single read of the same rows.
  const shared = createLastReadArray(array);
  const decoded = createMappedArray(shared, type, decode);
  const mask = createMappedArray(shared, { kind: "bool" }, (values) => {
    const signed = toSignedValues(values, packing);
    const isMissing = createMissingTest(signed, packing);
    const bytes = new Uint8Array(signed.length);
    for (let i = 0; i < bytes.length; i++) if (isMissing(i)) bytes[i] = 1;
    return bytes;
  });
  return [{ kind: "nullable", values: decoded, mask }, decoded];
}

function element(plan: ColumnPlan, array: StoredArray, names: readonly string[]): TableElement {
  const shape = array.shape ?? [];
  const type = getColumnType(plan);
  const isNullable = shape.length <= 1 && (plan.kind === "nullable" || mayBeNull(type));
  const fields: ArrowField[] = [{ name: "value", type, nullable: isNullable }];
  const own = array.type.kind === "text" ? "string-array" : "array";
  const kind = shape.length > 0 ? own : array.type.kind === "text" ? "string" : "numeric-scalar";
  const stored = toStorageMetadata(array.type);
  const metadata = { kind, shape, ...stored, cf: names };
  return { kind: "table", fields, metadata, rows: shape[0] ?? 1, plan: { kind: "columns", columns: [plan] }, shape };
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Joins single characters along the last dimension into texts; null for other arrays. */
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

/** Joins every `length` texts into one text. */
function joinedText({ offsets, bytes }: VariableValues, length: number, count: number): VariableValues {
  const to = new Int32Array(count + 1);
  for (let i = 0; i <= count; i++) to[i] = offsets[i * length];
  return { kind: "variable", offsets: to, bytes };
}
