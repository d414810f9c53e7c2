/** pandas columns in HDF5 arrays: times, booleans, text with a marker for missing values, categories. */

import type { SinglePlan } from "../../../jobs/plan/plan.js";
import { getRowValueType } from "../../../jobs/rows/viewed-values.js";
import { UnsupportedError } from "../../../model/errors.js";
import { countElements, type StoredType, type TimeUnit } from "../../../model/stored.js";
import type { ColumnElement } from "../../element.js";

export interface PandasType {
  /** numpy's name for the type: `datetime64[ns]`, `bool`, `bytes24`. */
  readonly dtype: string;
  readonly zone: string | null;
  /** The text that marks a missing value; null if there is no marker. */
  readonly missing: string | null;
}

/** Where a column is stored: an array or a field of an array, and the index of the column's value within each row. */
export interface PandasLocation {
  readonly values: SinglePlan;
  readonly place: number;
}

/** @throws {UnsupportedError} for a type that cannot be represented. */
export function createPandasColumn(
  { values, place }: PandasLocation,
  { dtype, zone, missing }: PandasType,
): ColumnElement {
  const { type, shape } = getRowValueType(values);
  const own = { kind: "viewed", values, place, type: null, missing: null } as const;
  const time = /^(datetime64|timedelta64)(?:\[(s|ms|us|ns)(?:, .*)?\])?$/.exec(dtype);
  if (time !== null && type.kind === "int") {
    const [, kind, unit = "ns"] = time;
    return { plan: { ...own, type: timeType(kind, unitOf(unit), zone) }, metadata: { kind: "array" } };
  }
  if (/^(datetime|date|period|object)/.test(dtype)) {
    throw new UnsupportedError(`values of pandas' type ${dtype}`, { element: values.array.path });
  }
  // PyTables stores booleans as bit fields; numpy's integers are never bit fields.
  if (type.kind === "int" && type.bits === 8 && (dtype === "bool" || type.isBitField === true)) {
    return { plan: { ...own, type: { kind: "bool" } }, metadata: { kind: "array" } };
  }
  const metadata = { kind: type.kind === "text" ? "string-array" : "array" };
  if (type.kind === "text" && missing !== null) return { plan: { ...own, missing }, metadata };
  return { plan: countElements(shape) === 1 && shape.length === 0 ? values : own, metadata };
}

function unitOf(unit: string): TimeUnit {
  return unit === "s" || unit === "ms" || unit === "us" ? unit : "ns";
}

function timeType(kind: string, unit: TimeUnit, zone: string | null): StoredType {
  return kind === "timedelta64"
    ? { kind: "timedelta", unit, step: 1 }
    : { kind: "datetime", unit, step: 1, timezone: zone ?? undefined };
}
