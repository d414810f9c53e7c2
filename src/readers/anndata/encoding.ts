/** The encodings of AnnData elements, by name and version on disk, and the attributes that declare them. */

import type { Node } from "../../containers/tree/container.js";
import { UnsupportedError } from "../../model/errors.js";
import { getTextAttribute } from "../attributes.js";

/** The node kind that an encoding requires, and its known versions. */
interface Known {
  readonly node: "group" | "array";
  readonly versions: readonly string[];
}

const ENCODINGS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["anndata", { node: "group", versions: ["0.1.0"] }],
  ["raw", { node: "group", versions: ["0.1.0"] }],
  ["dict", { node: "group", versions: ["0.1.0"] }],
  // anndata-rs writes `mapping` in cases in which anndata writes `dict`.
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

/** The encodings of vsparse, whose matrices store equal values only once. */
const VSPARSE = new Set(["vcsc", "vcsr", "ivcsc", "ivcsr"]);

function unknownEncoding({ type, version }: ElementEncoding): string {
  const name = `encoding-type ${JSON.stringify(type)} ${version}`;
  if (!VSPARSE.has(type)) return `${name} is not known`;
  return `${name} of vsparse is not read: write the matrix as one of scipy's (csr_matrix, csc_matrix) in Python`;
}

/**
 * Reads the encoding of a node; `{ type: "", version: "" }` if the node has no encoding (as before 0.8, and in arrays
 * inside an element).
 * @throws {UnsupportedError} for an unknown type or version, or an encoding on the wrong kind of node.
 */
export function getKnownEncoding(node: Node): ElementEncoding {
  const encoding = getNodeEncoding(node);
  const { type, version } = encoding;
  if (type === "") return encoding;
  const known = ENCODINGS.get(type);
  if (known === undefined) {
    throw new UnsupportedError(unknownEncoding(encoding), { element: node.path });
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

/** Returns the stored encoding as metadata for a table; empty if the node has no encoding. */
export function getEncodingMetadata(node: Node): { readonly encoding?: ElementEncoding } {
  const encoding = getNodeEncoding(node);
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

export function getNodeEncoding(node: Node): ElementEncoding {
  return {
    type: getTextAttribute(node, "encoding-type") ?? "",
    version: getTextAttribute(node, "encoding-version") ?? "",
  };
}
