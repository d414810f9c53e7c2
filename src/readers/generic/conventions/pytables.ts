/**
 * Structures that PyTables adds to HDF5: times, booleans, text in variable-length arrays, pickled objects, and table
 * indexes. Source: PyTables User's Guide, appendix "PyTables file format".
 */

import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { NumberArray, SequenceValues, StoredType, StoredValues } from "../../../model/stored.js";
import { getTextAttribute } from "../../attributes.js";
import { createGenericArrayElement } from "../arrays/array.js";
import type { Convention } from "./convention.js";

/** Values of the attribute CLASS for arrays. */
const CLASSES = ["ARRAY", "CARRAY", "EARRAY", "VLARRAY", "TABLE"];

/** Values of the attribute CLASS for groups that contain the indexes of a table. These copy the table's columns. */
const INDEX_CLASSES = ["TINDEX", "INDEX"];

/** Handles PyTables' tables, arrays and indexes. */
export const pytables: Convention = {
  name: "pytables",
  async group(group) {
    const isIndex = INDEX_CLASSES.includes(getTextAttribute(group, "CLASS") ?? "") && isVersioned(group.attributes);
    return isIndex ? { element: null, kind: "index" } : null;
  },
  async array(array, cx) {
    if (!CLASSES.includes(getTextAttribute(array, "CLASS") ?? "") || !isVersioned(array.attributes)) return null;
    return createGenericArrayElement(asWritten(array), cx);
  },
};

function isVersioned(attributes: StoredArray["attributes"]): boolean {
  return attributes.has("VERSION");
}

/**
 * Converts an array to the types that its writer declared. Returns the array unchanged if these are the stored types.
 */
function asWritten(array: StoredArray): StoredArray {
  const atom = array.type.kind === "sequence" ? getTextAttribute(array, "PSEUDOATOM") : undefined;
  if (atom === "object") {
    throw new UnsupportedError("pickled objects of Python (PyTables' ObjectAtom), which may run any code");
  }
  const isUnicode = atom === "vlunicode" && array.type.kind === "sequence" && isUint32(array.type.item);
  const type = isUnicode ? TEXT : atom === "vlstring" ? BYTES : writtenType(array.type);
  if (type === array.type) return array;
  const { kind, path, id, attributes, shape, chunks } = array;
  const convert = isUnicode ? textOf : atom === "vlstring" ? bytesOfItems : writtenValues;
  return {
    ...{ kind, path, id, attributes, shape, chunks, type },
    read: async (start, end, options) => convert(await array.read(start, end, options), array.type),
  };
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };
const BYTES: StoredType = { kind: "bytes", width: null };

function isUint32(type: StoredType): boolean {
  return type.kind === "int" && type.bits === 32 && !type.signed;
}

/**
 * Returns the declared type. Bit fields of 8 bits are booleans. 32-bit times count seconds since 1970; 64-bit times
 * also contain microseconds.
 */
function writtenType(type: StoredType): StoredType {
  switch (type.kind) {
    case "int":
      if (type.isBitField === true && type.bits === 8) return { kind: "bool" };
      if (type.isTime !== true) return type;
      return { kind: "datetime", unit: type.bits === 64 ? "us" : "s", step: 1 };
    case "record": {
      const fields = type.fields.map((field) => ({ ...field, type: writtenType(field.type) }));
      return fields.every((field, i) => field.type === type.fields[i].type) ? type : { kind: "record", fields };
    }
    case "sequence": {
      const item = writtenType(type.item);
      return item === type.item ? type : { ...type, item };
    }
    default:
      return type;
  }
}

function writtenValues(values: StoredValues, type: StoredType): StoredValues {
  switch (values.kind) {
    case "fixed":
      if (type.kind !== "int" || type.isTime !== true) return values;
      return { kind: "fixed", values: type.bits === 64 ? microseconds(values.values) : seconds(values.values) };
    case "record":
      if (type.kind !== "record") return values;
      return { ...values, fields: values.fields.map((field, i) => writtenValues(field, type.fields[i].type)) };
    case "sequence":
      return type.kind === "sequence" ? { ...values, values: writtenValues(values.values, type.item) } : values;
    case "variable":
      return values;
    default:
      return values satisfies never;
  }
}

function seconds(values: NumberArray): BigInt64Array {
  return BigInt64Array.from(values, BigInt);
}

/**
 * Converts PyTables' times to microseconds. The upper 32 bits contain the seconds, the lower 32 bits the microseconds.
 */
function microseconds(values: NumberArray): BigInt64Array {
  const out = new BigInt64Array(values.length);
  for (let i = 0; i < out.length; i++) {
    const packed = BigInt(values[i]);
    out[i] = (packed >> 32n) * 1_000_000n + BigInt.asIntN(32, packed);
  }
  return out;
}

/** Converts code points, which PyTables' VLUnicodeAtom stores, to text. */
function textOf(values: StoredValues): StoredValues {
  const { offsets, values: points } = sequenceOf(values);
  if (points.kind !== "fixed") throw new InvalidDataError("text without code points");
  const encoder = new TextEncoder();
  const texts = Array.from({ length: offsets.length - 1 }, (_, i) => {
    let text = "";
    for (let at = offsets[i]; at < offsets[i + 1]; at++) text += character(Number(points.values[at]));
    return encoder.encode(text);
  });
  const to = new Int32Array(offsets.length);
  for (const [i, { length }] of texts.entries()) to[i + 1] = to[i] + length;
  const bytes = new Uint8Array(to[texts.length]);
  for (const [i, text] of texts.entries()) bytes.set(text, to[i]);
  return { kind: "variable", offsets: to, bytes };
}

function character(point: number): string {
  if (point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) return String.fromCodePoint(point);
  throw new InvalidDataError(`${point} in text is no code point of Unicode`);
}

function bytesOfItems(values: StoredValues): StoredValues {
  const { offsets, values: items } = sequenceOf(values);
  if (items.kind !== "fixed" || !(items.values instanceof Uint8Array)) {
    throw new InvalidDataError("bytes that are no integers of 8 bits");
  }
  return { kind: "variable", offsets, bytes: items.values };
}

function sequenceOf(values: StoredValues): SequenceValues {
  if (values.kind === "sequence") return values;
  throw new InvalidDataError("no sequences");
}
