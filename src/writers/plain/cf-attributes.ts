/** Attributes of the CF conventions, in the forms by which netCDF4 and xarray know them in each container. */

import type { StoredType } from "../../model/stored.js";
import type { PlainAttributes } from "./attributes.js";
import type { FieldContext } from "./field.js";

/** Attributes of one number, which NetCDF-4 stores as lists of one. */
const NUMBERS = ["_FillValue", "missing_value", "scale_factor", "add_offset"];

/** Texts that stand for floats in attributes. */
const FLOATS = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/**
 * The attributes with single numbers where Zarr is written. xarray keeps the missing value of floats as base64 in Zarr v3,
 * and as a number elsewhere.
 */
export function cfAttributes(
  attributes: PlainAttributes,
  type: StoredType,
  { container }: Pick<FieldContext, "container">,
): PlainAttributes {
  const own: Record<string, unknown> = { ...attributes };
  for (const name of NUMBERS) {
    const value = type.kind === "int" ? integersIn(own[name]) : own[name];
    if (value !== undefined) own[name] = value;
    if (container !== "hdf5" && Array.isArray(value) && value.length === 1) own[name] = value[0];
  }
  const missing = type.kind === "float" ? floatOf(own._FillValue) : null;
  if (missing !== null) own._FillValue = container === "zarr3" ? base64(missing) : jsonNumber(missing);
  return own;
}

/** Integers that JSON keeps as texts of their digits, as integers again. */
function integersIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(integersIn);
  if (typeof value !== "string" || !/^-?\d{1,19}$/.test(value)) return value;
  const integer = BigInt(value);
  return BigInt.asIntN(64, integer) === integer ? integer : value;
}

function floatOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const named = FLOATS.get(value);
  if (named !== undefined) return named;
  if (!/^[A-Za-z0-9+/]{11}=$/.test(value)) return null;
  const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

function base64(number: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, number, true);
  return btoa(String.fromCharCode(...bytes));
}

function jsonNumber(number: number): number | string {
  return Number.isFinite(number) ? number : String(number);
}
