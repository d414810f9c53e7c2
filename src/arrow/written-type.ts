/**
 * Chooses the stored type for a field: the type from the original file if the metadata records it, otherwise the type
 * that matches the Arrow type.
 */

import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { isJsonObject } from "../model/json-object.js";
import type { EnumMember, IntType, StoredField, StoredType, TextStorage, TimeUnit } from "../model/stored.js";
import type { FieldMetadata } from "./storage-metadata.js";
import { type ArrowField, type ArrowIndex, type ArrowType, describeArrowType } from "./type.js";

/** The type of the values and the shape of one row; `[]` for a column of scalars. */
export interface WrittenType {
  readonly type: StoredType;
  readonly shape: readonly number[];
}

const VARIABLE: TextStorage = { form: "variable", encoding: "utf-8" };

/**
 * Returns the stored type for `field`; for a dictionary, the stored type of its values, unless it is an HDF5 enum.
 * @param metadata metadata of the field; a table with one column keeps it in the table's own metadata.
 * @throws {UnsupportedError} for types that cannot be stored as an array of values: unions, Null.
 * @throws {InvalidInputError} if the metadata does not describe a valid type.
 */
export function toWrittenForm(field: ArrowField, metadata: FieldMetadata = field.metadata ?? {}): WrittenType {
  const shape: number[] = [];
  let type = field.type;
  for (; type.id === "FixedSizeList"; type = type.item.type) shape.push(type.size);
  return { type: scalarType(type, metadata), shape };
}

/** Returns the record type whose fields are the given columns. */
export function createRecordType(fields: readonly ArrowField[]): Extract<StoredType, { kind: "record" }> {
  return { kind: "record", fields: fields.map((one) => recordField(one, one.metadata ?? {})) };
}

function recordField(field: ArrowField, metadata: FieldMetadata): StoredField {
  return { name: field.name, ...toWrittenForm(field, metadata) };
}

function scalarType(type: ArrowType, metadata: FieldMetadata): StoredType {
  switch (type.id) {
    case "Bool":
      return "members" in metadata ? enumOf(metadata) : { kind: "bool" };
    case "Int":
      return { kind: "int", bits: type.bits, signed: type.signed };
    case "Float":
      return { kind: "float", bits: type.bits };
    case "Utf8":
      return { kind: "text", storage: "storage" in metadata ? fixedStorage(metadata.storage) : VARIABLE };
    case "Binary":
      return { kind: "bytes", width: null };
    case "FixedSizeBinary":
      return { kind: "bytes", width: type.width };
    case "Date32":
      return { kind: "datetime", unit: "D", step: 1, isDate: true };
    case "Timestamp":
    case "Duration": {
      const kind = type.id === "Timestamp" ? "datetime" : "timedelta";
      if (!("unit" in metadata)) return { kind, unit: type.unit, step: 1 };
      return { kind, unit: unitOf(metadata.unit), step: stepOf(metadata.step) };
    }
    case "Struct": {
      const { fields } = metadata;
      if (fields === undefined) return complexOf(type) ?? createRecordType(type.fields);
      if (!Array.isArray(fields) || fields.length !== type.fields.length) {
        throw wrong(`the fields ${JSON.stringify(fields)} for the type ${describeArrowType(type)}`);
      }
      return {
        kind: "record",
        fields: type.fields.map((one, i) => recordField(one, isJsonObject(fields[i]) ? fields[i] : {})),
      };
    }
    case "Dictionary":
      return "members" in metadata ? enumOf(metadata) : scalarType(type.value, metadata);
    case "List": {
      const { items } = metadata;
      const { type: item, shape } = toWrittenForm(type.item, isJsonObject(items) ? items : {});
      return { kind: "sequence", item, shape: shape.length === 0 ? undefined : shape };
    }
    case "Null":
    case "DenseUnion":
    case "FixedSizeList":
      throw new UnsupportedError(`values of type ${describeArrowType(type)} have no array of one stored type`);
    default:
      return type satisfies never;
  }
}

/**
 * Returns the complex type for a struct of two floats; null for other structs. A record with such fields is marked as a
 * record in its metadata.
 */
function complexOf({ fields }: Extract<ArrowType, { id: "Struct" }>): StoredType | null {
  if (fields.length !== 2 || fields[0].name !== "real" || fields[1].name !== "imag") return null;
  const [real, imag] = fields.map((one) => one.type);
  if (real.id !== "Float" || imag.id !== "Float" || real.bits !== imag.bits || real.bits === 16) return null;
  return { kind: "complex", bits: real.bits === 32 ? 64 : 128 };
}

/**
 * Returns the type of a categorical's codes. This is the stored type if the metadata contains it, otherwise the
 * smallest of int8, int16 and int32 that holds the codes, as in pandas. If the number of categories is not known yet,
 * it is the type of the index.
 * @throws {UnsupportedError} for more than 2^31 - 1 categories.
 */
export function getCodesType(field: ArrowField, categories: number | null): IntType {
  const { type, metadata = {} } = field;
  if (type.id !== "Dictionary") throw new TypeError(`${field.name} is no dictionary`);
  if (metadata.kind === "categorical") {
    if (metadata.codes === undefined) return { kind: "int", bits: type.index.bits, signed: type.index.signed };
    return { kind: "int", bits: 64, signed: codesSigned(metadata.codes) };
  }
  if (categories === null) return { kind: "int", bits: signedBits(type.index), signed: true };
  return { kind: "int", bits: pandasBits(categories), signed: true };
}

/** Returns the number of bits of codes, following pandas' `coerce_indexer_dtype`. */
function pandasBits(categories: number): 8 | 16 | 32 {
  if (categories >= 2 ** 31 - 1) throw new UnsupportedError(`${categories} categories, 32-bit codes are the widest`);
  return categories < 2 ** 7 - 1 ? 8 : categories < 2 ** 15 - 1 ? 16 : 32;
}

/** Returns the number of bits of signed codes. Code -1 means null, so unsigned indices need one more bit. */
function signedBits({ bits, signed }: ArrowIndex): 8 | 16 | 32 {
  return signed || bits === 32 ? bits : bits === 8 ? 16 : 32;
}

function codesSigned(codes: unknown): boolean {
  if (codes === "int64") return true;
  if (codes === "uint64") return false;
  throw wrong(`codes of type ${JSON.stringify(codes)}`);
}

const ENCODINGS = ["ascii", "utf-8", "utf-32"] as const;
const PADDINGS = ["nullterm", "nullpad", "spacepad"] as const;

function fixedStorage(storage: unknown): TextStorage {
  if (!isJsonObject(storage)) throw wrong(`the storage ${JSON.stringify(storage)}`);
  if (storage.form === "variable") {
    return { form: "variable", encoding: storage.encoding === "ascii" ? "ascii" : "utf-8" };
  }
  const encoding = ENCODINGS.find((one) => one === storage.encoding);
  const padding = PADDINGS.find((one) => one === storage.padding);
  const { form, width } = storage;
  if (form !== "fixed" || encoding === undefined || padding === undefined || !isSize(width)) {
    throw wrong(`the storage ${JSON.stringify(storage)}`);
  }
  return { form, encoding, width, padding };
}

const UNITS: readonly TimeUnit[] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"];

function unitOf(unit: unknown): TimeUnit {
  const known = UNITS.find((one) => one === unit);
  if (known === undefined) throw wrong(`the unit ${JSON.stringify(unit)}`);
  return known;
}

function stepOf(step: unknown): number {
  if (isSize(step) && step > 0) return step;
  throw wrong(`the step ${JSON.stringify(step)}`);
}

const BITS = [8, 16, 32, 64] as const;

function enumOf({ members, base }: FieldMetadata): StoredType {
  const bits = isJsonObject(base) ? BITS.find((one) => one === base.bits) : undefined;
  if (!isJsonObject(base) || bits === undefined || typeof base.signed !== "boolean") {
    throw wrong(`the integers ${JSON.stringify(base)} of an enum`);
  }
  if (!Array.isArray(members)) throw wrong(`the members ${JSON.stringify(members)} of an enum`);
  return { kind: "enum", base: { kind: "int", bits, signed: base.signed }, members: members.map(memberOf) };
}

function memberOf(member: unknown): EnumMember {
  if (isJsonObject(member) && typeof member.name === "string" && Number.isSafeInteger(member.value)) {
    return { name: member.name, value: Number(member.value) };
  }
  throw wrong(`the member ${JSON.stringify(member)} of an enum`);
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function wrong(what: string): InvalidInputError {
  return new InvalidInputError(`the metadata annarrow has ${what}`);
}
