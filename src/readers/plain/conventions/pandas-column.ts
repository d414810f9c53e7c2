/** Columns of pandas in arrays of HDF5: times, booleans, text with a word for missing values, categories. */

import { mappedArray } from "../../../containers/picked/mapped-array.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import { UnsupportedError } from "../../../model/errors.js";
import {
  type StoredType,
  type StoredValues,
  type TimeUnit,
  type VariableValues,
  zerosLike,
} from "../../../model/stored.js";
import type { ColumnElement } from "../../element.js";

export interface PandasType {
  /** numpy's name of the type: `datetime64[ns]`, `bool`, `bytes24`. */
  readonly dtype: string;
  readonly zone: string | null;
  /** The text that stands for a missing one; null for none. */
  readonly missing: string | null;
}

/** @throws {UnsupportedError} for a type that has no form. */
export function pandasColumn(array: StoredArray, { dtype, zone, missing }: PandasType): ColumnElement {
  const { type } = array;
  const time = /^(datetime64|timedelta64)(?:\[(s|ms|us|ns)(?:, .*)?\])?$/.exec(dtype);
  if (time !== null && type.kind === "int") {
    const [, kind, unit = "ns"] = time;
    return { plan: { kind: "array", array: times(array, kind, unitOf(unit), zone) }, metadata: { kind: "array" } };
  }
  if (/^(datetime|date|period|object)/.test(dtype)) {
    throw new UnsupportedError(`values of pandas' type ${dtype}`, { element: array.path });
  }
  if (dtype === "bool" && type.kind === "int") {
    const flags = mappedArray(array, { kind: "bool" }, (values) => Uint8Array.from(values, Number));
    return { plan: { kind: "array", array: flags }, metadata: { kind: "array" } };
  }
  if (type.kind === "text" && missing !== null) {
    const word = new TextEncoder().encode(missing);
    const mask = { ...withoutPlan(array), type: { kind: "bool" } as const, read: maskReader(array, word) };
    return { plan: { kind: "nullable", values: array, mask }, metadata: { kind: "string-array" } };
  }
  return { plan: { kind: "array", array }, metadata: { kind: type.kind === "text" ? "string-array" : "array" } };
}

function unitOf(unit: string): TimeUnit {
  return unit === "s" || unit === "ms" || unit === "us" ? unit : "ns";
}

function times(array: StoredArray, kind: string, unit: TimeUnit, zone: string | null): StoredArray {
  const type: StoredType =
    kind === "timedelta64"
      ? { kind: "timedelta", unit, step: 1 }
      : { kind: "datetime", unit, step: 1, ...(zone === null ? {} : { timezone: zone }) };
  return mappedArray(array, type, (values) =>
    values instanceof BigInt64Array ? values : BigInt64Array.from(values, BigInt),
  );
}

function withoutPlan({ path, id, attributes, shape, chunks }: StoredArray) {
  return { kind: "array", path, id, attributes, shape, chunks } as const;
}

function maskReader(array: StoredArray, word: Uint8Array): StoredArray["read"] {
  return async (start, end, options) => {
    const read = await array.read(start, end, options);
    if (read.kind !== "variable") throw new UnsupportedError("no text", { element: array.path });
    const { offsets, bytes } = read;
    const values = new Uint8Array(end - start);
    for (let i = 0; i < values.length; i++) {
      const at = offsets[i];
      if (offsets[i + 1] - at === word.length && word.every((byte, k) => bytes[at + k] === byte)) values[i] = 1;
    }
    return { kind: "fixed", values };
  };
}

/** One column of a block: the values `place` of rows of several, copied. */
export function blockColumn(block: StoredArray, place: number): StoredArray {
  const { shape } = block;
  const width = shape?.[1] ?? 1;
  return {
    ...withoutPlan(block),
    type: block.type,
    shape: [shape?.[0] ?? 0],
    chunks: block.chunks === null ? null : [block.chunks[0]],
    async read(start, end, options) {
      return picked(await block.read(start, end, options), place, width, end - start);
    },
  };
}

function picked(read: StoredValues, place: number, width: number, rows: number): StoredValues {
  if (read.kind === "record") throw new UnsupportedError("records in a block of columns");
  if (read.kind === "variable") return pickedText(read, place, width, rows);
  if (read.kind !== "fixed") throw new UnsupportedError("lists in a block of columns");
  const { values } = read;
  const to = zerosLike(values, rows);
  for (let i = 0, at = place; i < rows; i++, at += width) to[i] = values[at];
  return { kind: "fixed", values: to };
}

function pickedText({ offsets, bytes }: VariableValues, place: number, width: number, rows: number): VariableValues {
  const to = new Int32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    const at = i * width + place;
    to[i + 1] = to[i] + offsets[at + 1] - offsets[at];
  }
  const all = new Uint8Array(to[rows]);
  for (let i = 0; i < rows; i++) {
    const at = i * width + place;
    all.set(bytes.subarray(offsets[at], offsets[at + 1]), to[i]);
  }
  return { kind: "variable", offsets: to, bytes: all };
}
