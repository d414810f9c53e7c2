/** MATLAB's numeric classes, and how their values are stored. */

import type { NumberArray, StoredType } from "../../model/stored.js";
import { complexIntegerPart } from "./complex-integers.js";
import type { Metadata } from "./tree/metadata.js";

/** Of which class values of a stored type are; null for those that are no numbers. */
export function classOfType(type: StoredType): string | null {
  switch (type.kind) {
    case "bool":
      return "logical";
    case "int":
      return `${type.signed ? "" : "u"}int${type.bits}`;
    case "float":
      return type.bits === 64 ? "double" : "single";
    case "complex":
      return type.bits === 128 ? "double" : "single";
    case "record": {
      const part = complexIntegerPart(type);
      return part === null ? null : classOfType(part);
    }
    default:
      return null;
  }
}

/** The class of numbers: that of their type, but for logicals that are neither 0 nor 1. */
export function numericClass(type: StoredType, { class: name, notLogical }: Metadata): string | null {
  if (name === "logical" && notLogical === true && type.kind === "int" && type.bits === 8 && !type.signed) return name;
  return classOfType(type);
}

/** `MATLAB_int_decode` of a class. */
export function intDecodeOf(name: string): { readonly intDecode?: number } {
  if (name === "logical") return { intDecode: 1 };
  return name === "char" ? { intDecode: 2 } : {};
}

/** What the file has for values of the type: logicals are bytes, complex numbers have parts of these names. */
export function writtenType(type: StoredType): StoredType {
  switch (type.kind) {
    case "bool":
      return { kind: "int", bits: 8, signed: false };
    case "complex":
      return { ...type, parts: ["real", "imag"] };
    default:
      return type;
  }
}

/** numpy's name of the type, for hdf5storage. */
export function numpyName(type: StoredType): string | null {
  switch (type.kind) {
    case "bool":
      return "bool";
    case "int":
      return `${type.signed ? "" : "u"}int${type.bits}`;
    case "float":
    case "complex":
      return `${type.kind}${type.bits}`;
    default:
      return null;
  }
}

/** Elements of a typed array that are one value. */
export function elementsPerValue(type: StoredType): 1 | 2 {
  return type.kind === "complex" || type.kind === "record" ? 2 : 1;
}

export function rowsOfValues(values: NumberArray, type: StoredType, perRow: number, from: number, to: number) {
  const per = elementsPerValue(type) * perRow;
  return values.subarray(from * per, to * per);
}
