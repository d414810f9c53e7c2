/** PlainAttributes from JSON: text, 64-bit integers and floats, booleans, and lists of one of these in any dimensions. */

import { storedTexts } from "../../arrow/text.js";
import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { type LossContext, reportLoss } from "../context.js";

export type PlainAttributes = Readonly<Record<string, unknown>>;

/** The attributes in the container's types. One that has none is left out, with a warning. */
export function writtenAttributes(
  element: string,
  attributes: PlainAttributes,
  cx: LossContext,
): ReadonlyMap<string, WrittenAttribute> {
  const written = new Map<string, WrittenAttribute>();
  for (const [name, value] of Object.entries(attributes)) {
    const attribute = attributeOf(value);
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

function attributeOf(value: unknown): WrittenAttribute | null {
  if (value === null) return { type: { kind: "float", bits: 64 }, shape: null, values: null };
  const shape: number[] = [];
  let first: unknown = value;
  for (; Array.isArray(first); [first] = first) shape.push(first.length);
  const flat: unknown[] = [];
  if (!flatten(value, shape, 0, flat)) return null;
  return ofValues(flat, shape);
}

/** Adds all values in their order. @returns whether the lists are as long as `shape` says. */
function flatten(value: unknown, shape: readonly number[], axis: number, out: unknown[]): boolean {
  if (axis === shape.length) {
    out.push(value);
    return !Array.isArray(value);
  }
  return (
    Array.isArray(value) && value.length === shape[axis] && value.every((one) => flatten(one, shape, axis + 1, out))
  );
}

/** Texts that stand for floats among numbers. */
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
    values: storedTexts(values),
  };
}

function floats(values: readonly number[], shape: readonly number[]): WrittenAttribute {
  return { type: { kind: "float", bits: 64 }, shape, values: { kind: "fixed", values: Float64Array.from(values) } };
}
