/** Maps MATLAB's numeric classes to the types of their stored values. */

import type { ArrowType } from "../../arrow/type.js";
import { createRecordType } from "../../arrow/written-type.js";
import { allocate, type IntType, type NumberArray, type StoredType, type StoredValues } from "../../model/stored.js";
import type { MatlabMetadata } from "./metadata.js";

/** Returns the MATLAB class for a stored type; null if the type is not numeric. */
export function findMatlabClass(type: StoredType): string | null {
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
      const part = findComplexIntegerPart(type);
      return part === null ? null : findMatlabClass(part);
    }
    default:
      return null;
  }
}

/**
 * Returns the class of numbers. It follows from the type, except for stored logicals with values other than 0 and 1.
 */
export function findNumericClass(type: StoredType, { class: name, notLogical }: MatlabMetadata): string | null {
  if (name === "logical" && notLogical === true && type.kind === "int" && type.bits === 8 && !type.signed) return name;
  return findMatlabClass(type);
}

/** Returns the attribute `MATLAB_int_decode` for a class. */
export function createIntDecode(name: string): { readonly intDecode?: number } {
  if (name === "logical") return { intDecode: 1 };
  return name === "char" ? { intDecode: 2 } : {};
}

/**
 * Returns the file's type for values of `type`. Logicals are stored as bytes, and complex numbers use MATLAB's names
 * for their parts.
 */
export function toWrittenType(type: StoredType): StoredType {
  switch (type.kind) {
    case "bool":
      return { kind: "int", bits: 8, signed: false };
    case "complex":
      return { ...type, parts: ["real", "imag"] };
    default:
      return type;
  }
}

/** Returns numpy's name for the type, for hdf5storage. */
export function findNumpyName(type: StoredType): string | null {
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

/** Returns the number of typed array elements per value. */
export function countElementsPerValue(type: StoredType): 1 | 2 {
  return type.kind === "complex" || type.kind === "record" ? 2 : 1;
}

export function selectValueRows(values: NumberArray, type: StoredType, perRow: number, from: number, to: number) {
  const per = countElementsPerValue(type) * perRow;
  return values.subarray(from * per, to * per);
}

/** Whether values of the type are complex integers from a MATLAB file, which tables contain as records. */
export function areComplexIntegers(type: ArrowType): boolean {
  if (type.id !== "Struct" || type.fields.some((field) => field.type.id !== "Int")) return false;
  return findComplexIntegerPart(createRecordType(type.fields)) !== null;
}

/** Returns the type that both parts of a complex integer have; null for other types. */
function findComplexIntegerPart(type: StoredType): IntType | null {
  if (type.kind !== "record" || type.fields.map(({ name }) => name).join() !== "real,imag") return null;
  const [real, imag] = type.fields;
  if (real.type.kind !== "int" || imag.type.kind !== "int" || real.shape.length + imag.shape.length > 0) return null;
  return real.type.bits === imag.type.bits && real.type.signed === imag.type.signed ? real.type : null;
}

/** Allocates `count` values for a sink. The two parts of a complex integer are adjacent. */
export function allocateNumbers(type: StoredType, count: number): NumberArray {
  const part = findComplexIntegerPart(type);
  return part === null ? allocate(type, count) : allocate(part, 2 * count);
}

/** Converts values to the typed array that sinks accept. */
export function toSinkNumbers(type: StoredType, values: StoredValues): NumberArray {
  if (values.kind === "fixed") return values.values;
  const [real, imag] = values.kind === "record" ? values.fields : [];
  if (real?.kind !== "fixed" || imag?.kind !== "fixed") throw new TypeError("numbers are of fixed width");
  const pairs = allocateNumbers(type, real.values.length);
  for (let i = 0; i < real.values.length; i++) {
    pairs[2 * i] = real.values[i];
    pairs[2 * i + 1] = imag.values[i];
  }
  return pairs;
}

/** Converts a sink's typed array to the values that file arrays accept. This is the inverse of `toSinkNumbers`. */
export function toStoredNumbers(type: StoredType, numbers: NumberArray): StoredValues {
  const part = findComplexIntegerPart(type);
  if (part === null) return { kind: "fixed", values: numbers };
  const length = numbers.length / 2;
  const [real, imag] = [allocate(part, length), allocate(part, length)];
  for (let i = 0; i < length; i++) {
    real[i] = numbers[2 * i];
    imag[i] = numbers[2 * i + 1];
  }
  const fields = [real, imag].map((values) => ({ kind: "fixed", values }) as const);
  return { kind: "record", length, fields };
}
