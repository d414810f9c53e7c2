/** Encodings of AnnData elements by their names and versions on disk, and the attributes that tell them. */

import type { AttributeValue, Node } from "../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";

/** The kind of node that an encoding needs, and its known versions. */
interface Known {
  readonly node: "group" | "array";
  readonly versions: readonly string[];
}

const ENCODINGS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["anndata", { node: "group", versions: ["0.1.0"] }],
  ["raw", { node: "group", versions: ["0.1.0"] }],
  ["dict", { node: "group", versions: ["0.1.0"] }],
  // anndata-rs writes `mapping` where anndata writes `dict`.
  ["mapping", { node: "group", versions: ["0.1.0"] }],
  ["dataframe", { node: "group", versions: ["0.1.0", "0.2.0"] }],
  ["csr_matrix", { node: "group", versions: ["0.1.0"] }],
  ["csc_matrix", { node: "group", versions: ["0.1.0"] }],
  ["categorical", { node: "group", versions: ["0.2.0"] }],
  ["nullable-integer", { node: "group", versions: ["0.1.0"] }],
  ["nullable-boolean", { node: "group", versions: ["0.1.0"] }],
  ["nullable-string-array", { node: "group", versions: ["0.1.0"] }],
  ["awkward-array", { node: "group", versions: ["0.1.0"] }],
  ["array", { node: "array", versions: ["0.2.0"] }],
  ["string-array", { node: "array", versions: ["0.2.0"] }],
  ["rec-array", { node: "array", versions: ["0.2.0"] }],
  ["numeric-scalar", { node: "array", versions: ["0.2.0"] }],
  ["string", { node: "array", versions: ["0.2.0"] }],
  ["bytes", { node: "array", versions: ["0.2.0"] }],
  ["null", { node: "array", versions: ["0.1.0"] }],
]);

/**
 * Reads the encoding of a node; `{ type: "", version: "" }` if it has none (before 0.8, and arrays inside an element).
 * @throws {UnsupportedError} for an unknown type or version, or an encoding on the wrong kind of node.
 */
export function knownEncoding(node: Node): ElementEncoding {
  const encoding = encodingOf(node);
  const { type, version } = encoding;
  if (type === "") return encoding;
  const known = ENCODINGS.get(type);
  if (known === undefined) {
    throw new UnsupportedError(`encoding-type ${JSON.stringify(type)} ${version} is not known`, { element: node.path });
  }
  if (version !== "" && !known.versions.includes(version)) {
    throw new UnsupportedError(`encoding ${type} is known in version ${known.versions.join(", ")}, not ${version}`, {
      element: node.path,
    });
  }
  if (known.node !== node.kind) {
    throw new UnsupportedError(
      `encoding-type ${JSON.stringify(type)} stands on ${aNode(node)}, not on a ${known.node}`,
      {
        element: node.path,
      },
    );
  }
  return encoding;
}

/** The stored encoding as metadata of a table; empty for a node without one. */
export function encodingMetadata(node: Node): { readonly encoding?: ElementEncoding } {
  const encoding = encodingOf(node);
  return encoding.type === "" ? {} : { encoding };
}

function aNode(node: Node): string {
  return node.kind === "group" ? "a group" : "an array";
}

/** The `encoding-type` and `encoding-version` of an element; both `""` if they are absent. */
interface ElementEncoding {
  readonly type: string;
  readonly version: string;
}

export function encodingOf(node: Node): ElementEncoding {
  return { type: textAttribute(node, "encoding-type") ?? "", version: textAttribute(node, "encoding-version") ?? "" };
}

/** Reads a text attribute; undefined if it is absent. R and Julia store some as lists of one. */
export function textAttribute(node: Node, name: string): string | undefined {
  const value = single(node.attributes.get(name));
  return typeof value === "string" ? value : undefined;
}

/** Reads a list of texts. h5py stores an empty list as floats. */
export function textsAttribute(node: Node, name: string): readonly string[] | undefined {
  const value = node.attributes.get(name);
  if (value === undefined) return undefined;
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new InvalidDataError(`attribute ${name} is no list of texts`, { element: node.path });
}

/** Reads a boolean attribute, stored as boolean or as 0 and 1. */
export function flagAttribute(node: Node, name: string): boolean {
  const value = single(node.attributes.get(name));
  return value === true || value === 1 || value === 1n;
}

/** Reads a non-negative integer attribute. */
export function sizeAttribute(node: Node, name: string): number {
  return size(single(node.attributes.get(name)), name, node);
}

/** Reads a shape of two non-negative integers; undefined if it is absent. */
export function shapeAttribute(node: Node, name: string): readonly [number, number] | undefined {
  const value = node.attributes.get(name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length !== 2) {
    throw new InvalidDataError(`attribute ${name} has not two numbers`, { element: node.path });
  }
  return [size(value[0], name, node), size(value[1], name, node)];
}

function size(value: AttributeValue | undefined, name: string, node: Node): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidDataError(`attribute ${name} holds ${shortText(value)}, no size`, { element: node.path });
}

/** JSON objects of Zarr's documents have no prototype, so `String` fails on them. */
function shortText(value: AttributeValue | undefined): string {
  if (value === null || typeof value !== "object") return String(value);
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item)).slice(0, 80);
}

function single(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
