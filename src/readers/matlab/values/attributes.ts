/**
 * The attributes that MATLAB and hdf5storage write. They can have any integer or text type, and can be scalars or lists
 * of length one.
 */

import type { AttributeValue, Node } from "../../../containers/tree/container.js";
import { readJson } from "../../../model/json-object.js";

type Attributed = Pick<Node, "attributes">;

function one(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Reads a text attribute; null if it is absent or not a text. */
export function getMatlabText({ attributes }: Attributed, name: string): string | null {
  const value = one(attributes.get(name));
  return typeof value === "string" ? value : null;
}

/** Reads an integer attribute; null if it is absent or not an integer. */
export function getMatlabInteger({ attributes }: Attributed, name: string): number | null {
  const value = one(attributes.get(name));
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
}

export function getMatlabClass(node: Attributed): string | null {
  return getMatlabText(node, "MATLAB_class");
}

/** Attributes that have a key in `getAttributeMetadata`. */
const KEYS: readonly (readonly [attribute: string, key: string])[] = [
  ["MATLAB_global", "global"],
  ["MATLAB_int_decode", "int_decode"],
  ["MATLAB_object_decode", "object_decode"],
];

/** Metadata cached by attributes, because many nodes share the same attributes. */
const described = new WeakMap<Attributed["attributes"], Readonly<Record<string, unknown>>>();

/** Returns the metadata that a writer needs from a node's attributes. */
export function getAttributeMetadata(node: Attributed): Readonly<Record<string, unknown>> {
  const known = described.get(node.attributes);
  if (known !== undefined) return known;
  const metadata = describe(node);
  described.set(node.attributes, metadata);
  return metadata;
}

function describe(node: Attributed): Readonly<Record<string, unknown>> {
  const metadata: Record<string, unknown> = {};
  for (const [attribute, key] of KEYS) {
    const value = getMatlabInteger(node, attribute);
    if (value !== null) metadata[key] = value;
  }
  // H5PATH, the path in the file, is omitted. Otherwise, every element in a cell would have different metadata.
  const python = [...node.attributes].filter(([name]) => name.startsWith("Python."));
  if (python.length > 0) metadata.python = Object.fromEntries(python.map(([name, value]) => [name, plain(value)]));
  const origin = originOf(node);
  if (origin !== null) metadata.origin = origin;
  return metadata;
}

/** Reads the origin that annarrow records if a value was converted from another format; null for other values. */
function originOf(node: Attributed): unknown {
  const text = getMatlabText(node, "annarrow");
  if (text === null) return null;
  try {
    const described: unknown = readJson(text);
    return typeof described === "object" && described !== null && "origin" in described ? described.origin : null;
  } catch {
    // The values can be read even without the attribute.
    return null;
  }
}

/** Converts an attribute to JSON. Big integers become text. */
function plain(value: AttributeValue): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}
