/**
 * Converts attributes from JSON. Supported are text, booleans, integers and floats in their original width (64 bits if
 * unknown), and arrays of any one of these with any number of dimensions.
 */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { allocate, type FloatType, type IntType } from "../../model/stored.js";
import { type LossyContext, reportLoss } from "../context.js";

export type GenericAttributes = Readonly<Record<string, unknown>>;

/**
 * Converts attributes to the container's types. An attribute without a supported type is left out, with a warning.
 * @param types numpy names of the number types, by attribute name.
 */
export function toWrittenAttributes(
  element: string,
  attributes: GenericAttributes,
  cx: LossyContext,
  types: GenericAttributes = {},
): ReadonlyMap<string, WrittenAttribute> {
  const written = new Map<string, WrittenAttribute>();
  for (const [name, value] of Object.entries(attributes)) {
    const attribute = attributeOf(value, numberType(types[name]));
    if (attribute !== null) written.set(name, attribute);
    else
      reportLoss(cx, element, {
        problem: `the attribute ${JSON.stringify(name)} is no text, number or list of one type`,
        instead: "it is left out",
        remedy: "leave out the table",
      });
  }
  return written;
}

/** Returns the type for a numpy name; null for a name that is not numeric. */
function numberType(name: unknown): IntType | FloatType | null {
  const found = typeof name === "string" ? /^(int|uint|float)(8|16|32|64)$/.exec(name) : null;
  if (found === null) return null;
  const bits = Number(found[2]);
  if (found[1] === "float") return bits === 32 || bits === 64 ? { kind: "float", bits } : null;
  return bits === 8 || bits === 16 || bits === 32 || bits === 64
    ? { kind: "int", bits, signed: found[1] === "int" }
    : null;
}

/** Converts the values to a common type; returns null if a value does not fit it. */
function ofWidth(values: readonly unknown[], type: IntType | FloatType): WrittenAttribute["values"] {
  const all = allocate(type, values.length);
  for (const [i, value] of values.entries()) {
    const number = type.kind === "float" && typeof value === "string" ? FLOATS.get(value) : value;
    if (all instanceof BigInt64Array || all instanceof BigUint64Array) {
      const isWhole =
        Number.isSafeInteger(number) ||
        typeof number === "bigint" ||
        (typeof number === "string" && /^-?\d{1,20}$/.test(number));
      if (!isWhole) return null;
      const whole = BigInt(String(number));
      all[i] = whole;
      if (all[i] !== whole) return null;
    } else {
      if (typeof number !== "number") return null;
      all[i] = number;
      if (!Object.is(all[i], number)) return null;
    }
  }
  return { kind: "fixed", values: all };
}

function attributeOf(value: unknown, type: IntType | FloatType | null): WrittenAttribute | null {
  if (value === null) return { type: { kind: "float", bits: 64 }, shape: null, values: null };
  const shape: number[] = [];
  let first: unknown = value;
  for (; Array.isArray(first); [first] = first) shape.push(first.length);
  const flat: unknown[] = [];
  if (!flatten(value, shape, 0, flat)) return null;
  const values = type === null ? null : ofWidth(flat, type);
  return type !== null && values !== null ? { type, shape, values } : ofValues(flat, shape);
}

/** Appends all values to `out` in order. @returns whether the lists have the lengths given in `shape`. */
function flatten(value: unknown, shape: readonly number[], axis: number, out: unknown[]): boolean {
  if (axis === shape.length) {
    out.push(value);
    return !Array.isArray(value);
  }
  return (
    Array.isArray(value) && value.length === shape[axis] && value.every((one) => flatten(one, shape, axis + 1, out))
  );
}

/** Texts that represent special floats among numbers. */
const FLOATS = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

function ofValues(values: readonly unknown[], shape: readonly number[]): WrittenAttribute | null {
  if (values.every((value) => typeof value === "boolean")) {
    if (values.length === 0) return floats([], shape);
    return { type: { kind: "bool" }, shape, values: { kind: "fixed", values: Uint8Array.from(values, Number) } };
  }
  if (values.every((value) => typeof value === "bigint" || Number.isSafeInteger(value))) {
    const integers = BigInt64Array.from(values, (value) => (typeof value === "bigint" ? value : BigInt(Number(value))));
    return { type: { kind: "int", bits: 64, signed: true }, shape, values: { kind: "fixed", values: integers } };
  }
  const numbers = values.map((value) => (typeof value === "string" ? FLOATS.get(value) : value));
  if (numbers.every((value) => typeof value === "number")) return floats(numbers, shape);
  if (!values.every((value) => typeof value === "string")) return null;
  return {
    type: { kind: "text", storage: { form: "variable", encoding: "utf-8" } },
    shape,
    values: encodeStoredTexts(values),
  };
}

function floats(values: readonly number[], shape: readonly number[]): WrittenAttribute {
  return { type: { kind: "float", bits: 64 }, shape, values: { kind: "fixed", values: Float64Array.from(values) } };
}
