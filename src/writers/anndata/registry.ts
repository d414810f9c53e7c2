/** The encodings that are written, each in its current version, by their on-disk names verbatim. */

import type { WrittenAttribute, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { textAttribute } from "../attributes.js";

const VERSIONS = {
  anndata: "0.1.0",
  raw: "0.1.0",
  dict: "0.1.0",
  dataframe: "0.2.0",
  csr_matrix: "0.1.0",
  csc_matrix: "0.1.0",
  categorical: "0.2.0",
  "nullable-integer": "0.1.0",
  "nullable-boolean": "0.1.0",
  "nullable-string-array": "0.1.0",
  "awkward-array": "0.1.0",
  array: "0.2.0",
  "string-array": "0.2.0",
  "rec-array": "0.2.0",
  "numeric-scalar": "0.2.0",
  string: "0.2.0",
  bytes: "0.2.0",
  null: "0.1.0",
} as const;

export type EncodingType = keyof typeof VERSIONS;

/** The attributes of an element: its own before those that name its encoding, as anndata writes them. */
export function encodingAttributes(
  type: EncodingType,
  own: Readonly<Record<string, WrittenAttribute>> = {},
): WrittenAttributes {
  return new Map([
    ...Object.entries(own),
    ["encoding-type", textAttribute(type)],
    ["encoding-version", textAttribute(VERSIONS[type])],
  ]);
}
