/** Complex integers: records of two integers, which the sinks take as pairs in one typed array, like complex floats. */

import type { ArrowType } from "../../arrow/type.js";
import { recordTypeOf } from "../../arrow/written-type.js";
import { allocate, type IntType, type NumberArray, type StoredType, type StoredValues } from "../../model/stored.js";

/** Whether values of the type were complex integers, in tables that were read from a MATLAB file. */
export function areComplexIntegers(type: ArrowType): boolean {
  if (type.id !== "Struct" || type.fields.some((field) => field.type.id !== "Int")) return false;
  return complexIntegerPart(recordTypeOf(type.fields)) !== null;
}

/** The type of both parts; null for what is no complex integer. */
export function complexIntegerPart(type: StoredType): IntType | null {
  if (type.kind !== "record" || type.fields.map(({ name }) => name).join() !== "real,imag") return null;
  const [real, imag] = type.fields;
  if (real.type.kind !== "int" || imag.type.kind !== "int" || real.shape.length + imag.shape.length > 0) return null;
  return real.type.bits === imag.type.bits && real.type.signed === imag.type.signed ? real.type : null;
}

/** Memory for `count` values of a sink: both parts of complex integers side by side. */
export function allocateNumbers(type: StoredType, count: number): NumberArray {
  const part = complexIntegerPart(type);
  return part === null ? allocate(type, count) : allocate(part, 2 * count);
}

/** Values as sinks take them. */
export function numbersOf(type: StoredType, values: StoredValues): NumberArray {
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

/** The mirror of `numbersOf`: values as arrays of a file take them. */
export function storedNumbers(type: StoredType, numbers: NumberArray): StoredValues {
  const part = complexIntegerPart(type);
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
