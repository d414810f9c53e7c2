/**
 * Creates the attributes of values. MATLAB's attributes have MATLAB's types, and those of hdf5storage have the types
 * that hdf5storage writes.
 */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { WrittenAttribute, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { runWithLocation } from "../../model/errors.js";
import type { IntType, NumberArray, StoredType } from "../../model/stored.js";
import { findNumpyName } from "./classes.js";
import { type MatlabWriterContext, openArray, type ValueDestination } from "./context.js";
import { isObject, type MatlabMetadata } from "./metadata.js";

const INT32: IntType = { kind: "int", bits: 32, signed: true };
const UINT8: IntType = { kind: "int", bits: 8, signed: false };
export const UINT64: IntType = { kind: "int", bits: 64, signed: false };
const VARIABLE_TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Attributes of a value, in addition to those in its metadata. */
export interface ValueAttributes {
  /** `MATLAB_class`; null for a value without a MATLAB class. */
  readonly class: string | null;
  /** Whether the value is part of a value that has a class, and has no class itself. */
  readonly isPart?: boolean;
  readonly intDecode?: number;
  readonly empty?: boolean;
  /** The number of rows in a sparse matrix. */
  readonly sparse?: number;
  readonly fields?: WrittenAttribute;
  /** `Python.*` attributes for a value that was read without such attributes. */
  readonly python?: MatlabMetadata;
  /** JSON that enables this library to read the value back unchanged. */
  readonly annarrow?: string;
}

export function createMatlabAttributes(
  place: ValueDestination,
  metadata: MatlabMetadata,
  value: ValueAttributes,
): WrittenAttributes {
  const out = new Map<string, WrittenAttribute>();
  if (value.class !== null) out.set("MATLAB_class", asciiAttribute(value.class));
  if (place.h5path !== null && (value.class !== null || value.isPart)) {
    out.set("H5PATH", textAttribute(place.h5path));
  }
  // An empty text in a file may lack the attribute. If so, its metadata do not contain it.
  const usual = metadata.empty === undefined ? value.intDecode : undefined;
  const intDecode = number(metadata.int_decode) ?? usual;
  if (intDecode !== undefined) out.set("MATLAB_int_decode", scalar(INT32, Int32Array.of(intDecode)));
  if (value.empty) out.set("MATLAB_empty", scalar(UINT8, Uint8Array.of(1)));
  const decode = number(metadata.object_decode);
  if (decode !== undefined) out.set("MATLAB_object_decode", scalar(INT32, Int32Array.of(decode)));
  const global = number(metadata.global);
  if (global !== undefined) out.set("MATLAB_global", scalar(INT32, Int32Array.of(global)));
  if (value.sparse !== undefined) out.set("MATLAB_sparse", scalar(UINT64, BigUint64Array.of(BigInt(value.sparse))));
  if (value.fields !== undefined) out.set("MATLAB_fields", value.fields);
  const python = isObject(metadata.python) ? metadata.python : (value.python ?? {});
  for (const [name, one] of Object.entries(python)) {
    const attribute = pythonAttribute(name, one);
    if (attribute !== null) out.set(name, attribute);
  }
  const described =
    value.annarrow ?? (isObject(metadata.origin) ? encodeAsciiJson({ version: 1, origin: metadata.origin }) : null);
  if (described !== null) out.set("annarrow", asciiAttribute(described));
  return out;
}

/** Encodes JSON using ASCII characters only. */
export function encodeAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

function scalar(type: StoredType, values: NumberArray): WrittenAttribute {
  return { type, shape: [], values: { kind: "fixed", values } };
}

/** Returns an ASCII text attribute without padding, in MATLAB's form. */
function asciiAttribute(text: string): WrittenAttribute {
  return fixedAttribute(text, "ascii", "nullterm");
}

/** Returns a text attribute in ASCII, or in UTF-8 if the text contains other characters. */
function textAttribute(text: string): WrittenAttribute {
  return fixedAttribute(text, isAscii(text) ? "ascii" : "utf-8", "nullterm");
}

function fixedAttribute(text: string, encoding: "ascii" | "utf-8", padding: "nullterm" | "nullpad"): WrittenAttribute {
  const values = encodeStoredTexts([text]);
  const width = Math.max(1, values.bytes.length);
  return { type: { kind: "text", storage: { form: "fixed", encoding, width, padding } }, shape: [], values };
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** Returns a `Python.*` attribute with the type that hdf5storage uses; null if hdf5storage has no such attribute. */
function pythonAttribute(name: string, value: unknown): WrittenAttribute | null {
  if (name === "Python.Empty") return scalar(UINT8, Uint8Array.of(Number(value)));
  if (typeof value === "string") return fixedAttribute(value, isAscii(value) ? "ascii" : "utf-8", "nullpad");
  if (typeof value === "number" || typeof value === "boolean") {
    return scalar({ kind: "int", bits: 64, signed: true }, BigInt64Array.of(BigInt(value)));
  }
  if (!Array.isArray(value)) return null;
  if (name !== "Python.Shape" && value.every((one) => typeof one === "string")) {
    return { type: VARIABLE_TEXT, shape: [value.length], values: encodeStoredTexts(value) };
  }
  const values = BigUint64Array.from(value, (one: unknown) => BigInt(Number(one)));
  return { type: UINT64, shape: [values.length], values: { kind: "fixed", values } };
}

export async function writeEmptyValue(
  place: ValueDestination,
  size: readonly number[],
  metadata: MatlabMetadata,
  value: ValueAttributes,
): Promise<void> {
  const attributes = createMatlabAttributes(place, metadata, { ...value, empty: true });
  const array = await openArray(place, { type: UINT64, shape: [size.length], attributes });
  await runWithLocation({ element: place.element }, async () => {
    await array.write({ kind: "fixed", values: BigUint64Array.from(size, BigInt) }, size.length);
    await array.close();
  });
}

/** Writes the `[]` that all empty cell elements share, in MATLAB's form. */
export async function writeCanonicalEmpty(place: ValueDestination): Promise<void> {
  await writeEmptyValue(place, [0, 0], {}, { class: "canonical empty" });
}

type Python = { readonly python?: MatlabMetadata };

export function createPythonArray(
  { profile }: MatlabWriterContext,
  type: StoredType | "object",
  shape: readonly number[],
): Python {
  if (profile !== "hdf5storage") return {};
  const name = type === "object" ? type : findNumpyName(type);
  if (name === null) return {};
  return {
    python: {
      "Python.Type": "numpy.ndarray",
      "Python.Shape": shape,
      "Python.numpy.UnderlyingType": name,
      "Python.numpy.Container": "ndarray",
      ...(shape.includes(0) ? { "Python.Empty": 1 } : {}),
    },
  };
}

/**
 * Returns a text's attributes for hdf5storage.
 * @param units number of code units in the text. For each of them, hdf5storage counts 32 bits in the underlying type,
 * even if it is half of a surrogate pair.
 */
export function createPythonText({ profile }: MatlabWriterContext, units: number): Python {
  if (profile !== "hdf5storage") return {};
  return {
    python: {
      "Python.Type": "str",
      "Python.Shape": [],
      "Python.numpy.UnderlyingType": units === 0 ? "str" : `str${32 * units}`,
      "Python.numpy.Container": "scalar",
      ...(units === 0 ? { "Python.Empty": 1 } : {}),
    },
  };
}

export function createPythonDict({ profile }: MatlabWriterContext, fields: readonly string[]): Python {
  return profile === "hdf5storage" ? { python: { "Python.Type": "dict", "Python.Fields": fields } } : {};
}
