/** Attributes of MATLAB's and of hdf5storage's, whatever integer or text type their writer took, alone or in a list of one. */

import type { AttributeValue, Node } from "../../../containers/tree/container.js";

type Attributed = Pick<Node, "attributes">;

function one(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** null where there is none, or it is no text. */
export function textAttribute({ attributes }: Attributed, name: string): string | null {
  const value = one(attributes.get(name));
  return typeof value === "string" ? value : null;
}

/** null where there is none, or it is no integer. */
export function integerAttribute({ attributes }: Attributed, name: string): number | null {
  const value = one(attributes.get(name));
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
}

/** `MATLAB_class`. */
export function classOf(node: Attributed): string | null {
  return textAttribute(node, "MATLAB_class");
}

/** What `attributeMetadata` has a key of its own for. */
const KEYS: readonly (readonly [attribute: string, key: string])[] = [
  ["MATLAB_global", "global"],
  ["MATLAB_int_decode", "int_decode"],
  ["MATLAB_object_decode", "object_decode"],
];

/** Many nodes have the same attributes. */
const described = new WeakMap<Attributed["attributes"], Readonly<Record<string, unknown>>>();

/** What of a node's attributes its values do not say, for it to be written back. */
export function attributeMetadata(node: Attributed): Readonly<Record<string, unknown>> {
  const known = described.get(node.attributes);
  if (known !== undefined) return known;
  const metadata = describe(node);
  described.set(node.attributes, metadata);
  return metadata;
}

function describe(node: Attributed): Readonly<Record<string, unknown>> {
  const metadata: Record<string, unknown> = {};
  for (const [attribute, key] of KEYS) {
    const value = integerAttribute(node, attribute);
    if (value !== null) metadata[key] = value;
  }
  // H5PATH is the place in the file: with it, no two elements of a cell would say the same.
  const python = [...node.attributes].filter(([name]) => name.startsWith("Python."));
  if (python.length > 0) metadata.python = Object.fromEntries(python.map(([name, value]) => [name, plain(value)]));
  const origin = originOf(node);
  if (origin !== null) metadata.origin = origin;
  return metadata;
}

/** What this library says of a value that it wrote for an element of another format; null where it says nothing. */
function originOf(node: Attributed): unknown {
  const text = textAttribute(node, "annarrow");
  if (text === null) return null;
  try {
    const described: unknown = JSON.parse(text);
    return typeof described === "object" && described !== null && "origin" in described ? described.origin : null;
  } catch {
    // The values stand without it.
    return null;
  }
}

/** As JSON: integers that have no exact number as text. */
function plain(value: AttributeValue): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}
