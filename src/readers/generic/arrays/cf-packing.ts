/**
 * Numbers that are packed according to the CF conventions: missing values, scales, offsets, unsigned integers. Source:
 * CF 1.12, section 8.1.
 */

import type { AttributeValue, StoredArray } from "../../../containers/tree/container.js";
import {
  allocate,
  type FloatType,
  type IntType,
  type NumberArray,
  viewAsBytes,
  viewLike,
} from "../../../model/stored.js";
import { getTextAttribute } from "../../attributes.js";
import type { GenericContext } from "./context.js";
import { getAttributesWithFill } from "./dimensions.js";

export interface Packing {
  /** The type of the stored values, with the signedness that `_Unsigned` declares. */
  readonly type: IntType | FloatType;
  /** Stored values that represent a missing value. */
  readonly missing: readonly (number | bigint)[];
  /** The factor and the summand for decoding; null if the numbers are not scaled. */
  readonly linear: { readonly scale: number; readonly offset: number } | null;
  /** Names of the attributes that declare the packing. */
  readonly names: readonly string[];
}

/** Returns the packing of an array's numbers; null if they are not packed. */
export function findPacking(array: StoredArray, stored: IntType | FloatType, cx: GenericContext): Packing | null {
  const names: string[] = [];
  const type = signedType(array, stored);
  if (type !== stored) names.push("_Unsigned");
  const linear = linearOf(array, names, cx);
  const missing: (number | bigint)[] = [];
  const attributes = getAttributesWithFill(array);
  for (const name of ["_FillValue", "missing_value"]) {
    const values = numbersOf(attributes.get(name), stored, cx);
    if (values.length === 0) continue;
    names.push(name);
    for (const value of values) missing.push(value);
  }
  if (names.length === 0) return null;
  return { type, missing: inType(missing, type), linear, names };
}

function signedType(array: StoredArray, type: IntType | FloatType): IntType | FloatType {
  if (type.kind !== "int") return type;
  const text = getTextAttribute(array, "_Unsigned")?.toLowerCase();
  if (text === "true" && type.signed) return { ...type, signed: false };
  return text === "false" && !type.signed ? { ...type, signed: true } : type;
}

function linearOf({ path, attributes }: StoredArray, names: string[], cx: GenericContext): Packing["linear"] {
  const found = ["scale_factor", "add_offset"].map((name) => {
    const value = attributes.get(name);
    if (value === undefined) return null;
    const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
    const number = typeof one === "bigint" ? Number(one) : one;
    if (typeof number === "number" && Number.isFinite(number)) {
      names.push(name);
      return number;
    }
    cx.warn(`${path}: the attribute ${name} is no number, and not applied`);
    return null;
  });
  const [scale, offset] = found;
  return scale === null && offset === null ? null : { scale: scale ?? 1, offset: offset ?? 0 };
}

function numbersOf(
  value: AttributeValue | undefined,
  type: IntType | FloatType,
  cx: GenericContext,
): (number | bigint)[] {
  if (typeof value === "number" || typeof value === "bigint") return [value];
  if (Array.isArray(value)) return value.flatMap((one: AttributeValue) => numbersOf(one, type, cx));
  // In the JSON of Zarr v3, xarray writes floats as the base64 of their 8 bytes.
  if (typeof value === "string" && cx.container.kind === "zarr3" && type.kind === "float") {
    if (!/^[A-Za-z0-9+/]{11}=$/.test(value)) return [];
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
    return [new DataView(bytes.buffer).getFloat64(0, true)];
  }
  return [];
}

/** Converts numbers to values of the type, and omits numbers that the type cannot represent. */
function inType(numbers: readonly (number | bigint)[], type: IntType | FloatType): (number | bigint)[] {
  if (type.kind === "float") return numbers.map((one) => (type.bits === 32 ? Math.fround(Number(one)) : Number(one)));
  return numbers.flatMap((one) => {
    if (typeof one === "number" && !Number.isInteger(one)) return [];
    const exact = BigInt(one);
    const own = type.signed ? BigInt.asIntN(type.bits, exact) : BigInt.asUintN(type.bits, exact);
    const isOther = own !== exact && BigInt.asIntN(type.bits, exact) !== exact;
    if (isOther) return [];
    return [type.bits === 64 ? own : Number(own)];
  });
}

/** Reinterprets the values in place, with the signedness of the packing. */
export function toSignedValues(values: NumberArray, { type }: Packing): NumberArray {
  return type.kind === "int" ? viewLike(allocate(type, 0), viewAsBytes(values)) : values;
}

export function createMissingTest(values: NumberArray, { missing }: Packing): (i: number) => boolean {
  if (missing.length === 0) return () => false;
  const wanted = new Set(missing);
  return (i) => wanted.has(values[i]);
}

/** Applies scale and offset in double precision; copies the numbers if there is no scale. */
export function unpackValues(values: NumberArray, { linear }: Packing): NumberArray {
  if (linear === null) return values.slice();
  const out = new Float64Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = Number(values[i]) * linear.scale + linear.offset;
  return out;
}
