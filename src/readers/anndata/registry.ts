/** The encodings that are known, by their on-disk names and versions verbatim. */

import type { Node } from "../../containers/tree/container.js";
import { UnsupportedError } from "../../model/errors.js";
import { type ElementEncoding, encodingOf } from "./attributes.js";

/** What a node of an encoding is read as, and the versions that are known. */
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
 * The encoding of a node; `{ type: "", version: "" }` where it has none (before 0.8, and arrays inside an element).
 * @throws {UnsupportedError} for a type or version that is not known, or on the wrong kind of node.
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

/** The stored encoding as it goes into the metadata; nothing where the store does not say. */
export function encodingMetadata(node: Node): { readonly encoding?: ElementEncoding } {
  const encoding = encodingOf(node);
  return encoding.type === "" ? {} : { encoding };
}

function aNode(node: Node): string {
  return node.kind === "group" ? "a group" : "an array";
}
