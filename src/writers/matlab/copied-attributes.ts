/** The attributes of values that are written back as they are stored: in MATLAB's types, whatever their writer took. */

import { storedTexts } from "../../arrow/text.js";
import type { AttributeValue, Node, Reference } from "../../containers/tree/container.js";
import type { WrittenAttribute, WrittenAttributes } from "../../containers/tree/container-writer.js";
import type { KeptObjects } from "../../containers/tree/kept-objects.js";
import { InvalidDataError } from "../../model/errors.js";
import { product } from "../../model/stored.js";
import { isAscii } from "./attributes.js";
import type { MatlabWriterContext } from "./context.js";
import { fieldsAttribute } from "./fields.js";
import type { ValuePlace } from "./place.js";

/** More than any real struct has. */
const MOST_FIELDS = 1_000_000;

const [LEAST_INT32, MOST_INT32] = [-(2 ** 31), 2 ** 31 - 1];

/** @throws {InvalidDataError} for names of fields that cannot be read. */
export async function copiedAttributes(
  place: ValuePlace,
  { attributes }: Node,
  objects: KeptObjects,
  cx: MatlabWriterContext,
): Promise<WrittenAttributes> {
  const out = new Map<string, WrittenAttribute>();
  for (const [name, value] of attributes) {
    const isPath = name === "H5PATH" && place.h5path !== null;
    const written =
      name === "MATLAB_fields"
        ? await fieldsAttribute(await fieldNames(value, objects), place.element, cx)
        : writtenAttribute(name, isPath ? place.h5path : value);
    if (written !== null) out.set(name, written);
    else cx.warn(`${place.element}: the attribute ${name} has a type that is not written; it is left out`);
  }
  return out;
}

/** null for types that MATLAB and hdf5storage give no attribute. */
function writtenAttribute(name: string, value: AttributeValue): WrittenAttribute | null {
  if (Array.isArray(value)) {
    const list: readonly AttributeValue[] = value;
    if (list.length === 1 && name !== "Python.Shape") return writtenAttribute(name, list[0]);
    if (list.every((one) => typeof one === "string")) {
      const type = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;
      return { type, shape: [list.length], values: storedTexts(list) };
    }
    const numbers = list.filter((one) => isInteger(one));
    if (numbers.length < list.length) return null;
    const values = BigUint64Array.from(numbers, BigInt);
    return { type: { kind: "int", bits: 64, signed: false }, shape: [list.length], values: { kind: "fixed", values } };
  }
  if (typeof value === "string") return textAttribute(value, name.startsWith("Python.") ? "nullpad" : "nullterm");
  if (typeof value === "boolean") return integerAttribute(name, value ? 1 : 0);
  if (isInteger(value)) return integerAttribute(name, value);
  if (typeof value !== "number") return null;
  return { type: { kind: "float", bits: 64 }, shape: [], values: { kind: "fixed", values: Float64Array.of(value) } };
}

function isInteger(value: AttributeValue): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
}

function integerAttribute(name: string, value: number | bigint): WrittenAttribute {
  if (name === "MATLAB_empty" && (value === 0 || value === 1)) {
    const values = Uint8Array.of(value);
    return { type: { kind: "int", bits: 8, signed: false }, shape: [], values: { kind: "fixed", values } };
  }
  if (name !== "MATLAB_sparse" && typeof value === "number" && LEAST_INT32 <= value && value <= MOST_INT32) {
    const values = Int32Array.of(value);
    return { type: { kind: "int", bits: 32, signed: true }, shape: [], values: { kind: "fixed", values } };
  }
  const wide = BigInt(value);
  const signed = wide < 0n;
  const values = signed ? BigInt64Array.of(wide) : BigUint64Array.of(wide);
  return { type: { kind: "int", bits: 64, signed }, shape: [], values: { kind: "fixed", values } };
}

function textAttribute(text: string, padding: "nullterm" | "nullpad"): WrittenAttribute {
  const values = storedTexts([text]);
  const width = Math.max(1, values.bytes.length);
  const encoding = isAscii(text) ? "ascii" : "utf-8";
  return { type: { kind: "text", storage: { form: "fixed", encoding, width, padding } }, shape: [], values };
}

/** The names in `MATLAB_fields`, each perhaps as a list of characters, or in a dataset that it refers to. */
async function fieldNames(value: AttributeValue, objects: KeptObjects): Promise<readonly string[]> {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
  if (isReference(only)) return await referredNames(only, objects);
  const list: readonly AttributeValue[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    const name = Array.isArray(one) ? one.join("") : one;
    if (typeof name === "string") return name;
    throw new InvalidDataError("MATLAB_fields holds something else than names");
  });
}

function isReference(value: AttributeValue | undefined): value is Reference {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "reference";
}

async function referredNames(reference: Reference, { container }: KeptObjects): Promise<readonly string[]> {
  const node = await container.dereference(reference);
  const count = node.kind === "array" ? product(node.shape ?? []) : 0;
  if (node.kind !== "array" || node.type.kind !== "text" || count > MOST_FIELDS) {
    throw new InvalidDataError("MATLAB_fields refers to something else than names");
  }
  const values = await node.read(0, node.shape?.[0] ?? 1);
  if (values.kind !== "variable") throw new TypeError("text has values of variable width");
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: count }, (_, i) =>
    decoder.decode(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])),
  );
}
