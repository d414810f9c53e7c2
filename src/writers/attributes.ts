/** Attributes of AnnData and MuData, in the types that h5py uses for Python values. */

import { encodeStoredTexts } from "../arrow/text.js";
import type { WrittenAttribute, WrittenAttributes } from "../containers/tree/container-writer.js";
import type { StoredType } from "../model/stored.js";

export const TEXT = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const satisfies StoredType;
const INT64 = { kind: "int", bits: 64, signed: true } as const satisfies StoredType;

export function createTextAttribute(value: string): WrittenAttribute {
  return { type: TEXT, shape: [], values: encodeStoredTexts([value]) };
}

/** Returns the attribute for a list of texts. An empty list is stored as floats, as in h5py. */
export function createTextsAttribute(values: readonly string[]): WrittenAttribute {
  if (values.length > 0) return { type: TEXT, shape: [values.length], values: encodeStoredTexts(values) };
  return { type: { kind: "float", bits: 64 }, shape: [0], values: { kind: "fixed", values: new Float64Array(0) } };
}

export function createFlagAttribute(value: boolean): WrittenAttribute {
  return { type: { kind: "bool" }, shape: [], values: { kind: "fixed", values: Uint8Array.of(value ? 1 : 0) } };
}

export function createIntegerAttribute(value: number): WrittenAttribute {
  return { type: INT64, shape: [], values: { kind: "fixed", values: BigInt64Array.of(BigInt(value)) } };
}

export function createShapeAttribute(shape: readonly number[]): WrittenAttribute {
  const values = BigInt64Array.from(shape, (size) => BigInt(size));
  return { type: INT64, shape: [shape.length], values: { kind: "fixed", values } };
}

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

/** Returns an element's attributes. Its own attributes precede the encoding attributes, as in anndata. */
export function createEncodingAttributes(
  type: EncodingType,
  own: Readonly<Record<string, WrittenAttribute>> = {},
): WrittenAttributes {
  return new Map([
    ...Object.entries(own),
    ["encoding-type", createTextAttribute(type)],
    ["encoding-version", createTextAttribute(VERSIONS[type])],
  ]);
}
