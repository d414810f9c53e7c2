/** Returns the stored type of an HDF5 datatype, and its native form if the stored bytes have one. */

import { swapBytes } from "../../../kernels/values/byte-order.js";
import type { IntType, StoredField, StoredType } from "../../../model/stored.js";
import {
  type CompoundDatatype,
  type Datatype,
  type EnumDatatype,
  extendPrecision,
  type FixedStringDatatype,
  type IntegerDatatype,
  type SequenceDatatype,
} from "./datatype.js";
import { findOddFloatType } from "./odd-float.js";

/** A type, and the dimensions that an array datatype adds to the dataset's own dimensions. */
export interface ElementType {
  readonly type: StoredType;
  readonly shape: readonly number[];
}

export function getElementType(datatype: Datatype): ElementType {
  if (datatype.class !== "array") return { type: storedType(datatype), shape: [] };
  const base = getElementType(datatype.base);
  return { type: base.type, shape: [...datatype.shape, ...base.shape] };
}

function storedType(datatype: Datatype): StoredType {
  switch (datatype.class) {
    case "integer":
      return integerType(datatype) ?? unsupported(integerName(datatype));
    case "float":
      return datatype.odd === null
        ? floatType(datatype.size)
        : (findOddFloatType(datatype) ?? unsupported(datatype.odd));
    case "fixed-string": {
      const { size: width, encoding, padding } = datatype;
      return { kind: "text", storage: { form: "fixed", encoding, width, padding } };
    }
    case "variable-string":
      return { kind: "text", storage: { form: "variable", encoding: datatype.encoding } };
    case "opaque":
      return { kind: "bytes", width: datatype.size };
    case "compound":
      return compoundType(datatype);
    case "reference":
      return referenceType(datatype.target);
    case "enum":
      return enumType(datatype);
    case "sequence":
      // A sequence of characters is read as text, because MATLAB writes names in this form.
      if (isCharacters(datatype))
        return { kind: "text", storage: { form: "variable", encoding: datatype.base.encoding } };
      return sequenceType(datatype);
    case "complex":
      return complexType(datatype.base) ?? unsupported(`complex number of ${datatype.size} bytes`);
    case "array": {
      // Only arrays inside a record or a sequence get here; `getElementType` handles the dimensions of all others.
      return getElementType(datatype).type;
    }
    case "other":
      return unsupported(datatype.name);
    default:
      return datatype satisfies never;
  }
}

const PLACES: StoredType = { kind: "sequence", item: { kind: "int", bits: 64, signed: true } };

/** A region reference's object and selection; see `region.ts`. */
export const REGION: StoredType = {
  kind: "record",
  fields: [
    { name: "path", type: { kind: "reference" }, shape: [] },
    { name: "selection", type: { kind: "sequence", item: PLACES }, shape: [] },
  ],
};

function referenceType(target: "object" | "region" | "other"): StoredType {
  switch (target) {
    case "object":
      return { kind: "reference" };
    case "region":
      return REGION;
    case "other":
      return unsupported("HDF5 reference of version 1.12");
    default:
      return target satisfies never;
  }
}

function unsupported(name: string): StoredType {
  return { kind: "unsupported", name };
}

/** Returns the type of the decoded values; null for sizes without a typed array. */
function integerType({ size, signed, isBitField, isTime }: IntegerDatatype): IntType | null {
  const time = { isTime: isTime || undefined };
  switch (size) {
    case 1:
      return { kind: "int", bits: 8, signed, isBitField: isBitField || undefined };
    case 2:
      return { kind: "int", bits: 16, signed, ...time };
    case 4:
      return { kind: "int", bits: 32, signed, ...time };
    case 8:
      return { kind: "int", bits: 64, signed, ...time };
    default:
      return null;
  }
}

function integerName(datatype: IntegerDatatype): string {
  return `integer of ${datatype.size} bytes`;
}

function floatType(size: number): StoredType {
  return { kind: "float", bits: size === 2 ? 16 : size === 4 ? 32 : 64 };
}

/** True if the sequence is text, that is, consists of one-byte fixed strings. */
export function isCharacters(
  datatype: SequenceDatatype,
): datatype is SequenceDatatype & { readonly base: FixedStringDatatype } {
  return datatype.base.class === "fixed-string" && datatype.base.size === 1;
}

/** True if the enum is h5py's form of numpy's bool: {FALSE: 0, TRUE: 1} in one byte. */
export function isBoolean(datatype: EnumDatatype): boolean {
  const { members, size } = datatype;
  return (
    size === 1 &&
    members.length === 2 &&
    members.some(({ name, value }) => name === "FALSE" && value === 0) &&
    members.some(({ name, value }) => name === "TRUE" && value === 1)
  );
}

function enumType(datatype: EnumDatatype): StoredType {
  if (isBoolean(datatype)) return { kind: "bool" };
  const base = integerType(datatype.base);
  if (base === null) return unsupported(`enum on an ${integerName(datatype.base)}`);
  return { kind: "enum", base, members: datatype.members };
}

/** True if the compound is h5py's form of a complex number: two floats of the same type, named r and i. */
export function isComplex(datatype: CompoundDatatype): boolean {
  const [r, i] = datatype.members;
  return (
    datatype.members.length === 2 &&
    r.name === "r" &&
    i.name === "i" &&
    r.type.size === i.type.size &&
    complexType(r.type) !== null &&
    complexType(i.type) !== null
  );
}

function sequenceType({ base }: SequenceDatatype): StoredType {
  const { type, shape } = getElementType(base);
  if (type.kind === "unsupported") return unsupported(`sequence of ${type.name}`);
  return { kind: "sequence", item: type, shape: shape.length === 0 ? undefined : shape };
}

function complexType(base: Datatype): StoredType | null {
  if (base.class !== "float" || base.odd !== null || base.size === 2) return null;
  return { kind: "complex", bits: base.size === 4 ? 64 : 128 };
}

function compoundType(datatype: CompoundDatatype): StoredType {
  if (isComplex(datatype)) return complexType(datatype.members[0].type) ?? unsupported("complex number");
  const fields = datatype.members.map(({ name, type }): StoredField => ({ name, ...getElementType(type) }));
  const bad = fields.find((field) => field.type.kind === "unsupported");
  return bad?.type.kind === "unsupported"
    ? unsupported(`record with field ${JSON.stringify(bad.name)}: ${bad.type.name}`)
    : { kind: "record", fields };
}

/** Converts stored bytes to decoded values in place. */
export type MakeNative = (bytes: Uint8Array) => void;

/**
 * Returns the conversion for a type; null for types whose decoded values differ in form from their bytes: text,
 * records, and types that cannot be decoded.
 */
export function findNativeConversion(type: Datatype): MakeNative | null {
  switch (type.class) {
    case "integer":
      return integerForm(type);
    case "enum":
      return integerForm(type.base);
    case "float":
      return type.odd === null ? swapped(type.bigEndian, type.size) : null;
    case "opaque":
      return unchanged;
    case "reference":
      return type.target === "object" && type.size === 8 ? unchanged : null;
    case "array":
    case "complex":
      return findNativeConversion(type.base);
    case "compound":
      return complexForm(type);
    case "fixed-string":
    case "variable-string":
    case "sequence":
    case "other":
      return null;
    default:
      return type satisfies never;
  }
}

/** True if the stored bytes are already the values. */
export function isNative(type: Datatype): boolean {
  return findNativeConversion(type) === unchanged;
}

function unchanged(): void {}

function swapped(bigEndian: boolean, size: number): MakeNative {
  return bigEndian ? (bytes) => swapBytes(bytes, size) : unchanged;
}

function integerForm(type: IntegerDatatype): MakeNative | null {
  const { size, bigEndian, precision } = type;
  if (size !== 1 && size !== 2 && size !== 4 && size !== 8) return null;
  const swap = swapped(bigEndian, size);
  if (precision === 8 * size) return swap;
  return (bytes) => {
    swap(bytes);
    extendPrecision(bytes, type);
  };
}

/** Returns the conversion to complex numbers. As in numpy, the real part is followed by the imaginary part. */
function complexForm(type: CompoundDatatype): MakeNative | null {
  if (!isComplex(type)) return null;
  const [real, imaginary] = type.members;
  const packed =
    real.offset === 0 && imaginary.offset === real.type.size && type.size === real.type.size + imaginary.type.size;
  if (!packed || real.type.class !== "float" || imaginary.type.class !== "float") return null;
  return real.type.bigEndian === imaginary.type.bigEndian ? findNativeConversion(real.type) : null;
}
