import { UnsupportedError } from "../../../model/errors.js";
import type { StoredField, StoredType } from "../../../model/stored.js";

import { type JsonValue, RawJson } from "./json-text.js";

/** The representation of a type in documents of one version, and the layout of its items in a chunk. */
export interface ZarrType {
  /** The type of the values. A boolean enum is stored as bool. */
  readonly stored: StoredType;
  /** The `dtype` of v2, or the `data_type` of v3. */
  readonly name: JsonValue;
  /** The fill value: zero bytes or the empty item. Readers use it for missing chunks. */
  readonly fill: JsonValue;
  /** The codec that converts items to bytes: `bytes` (little-endian) or an object codec. */
  readonly maker: "bytes" | "vlen-utf8" | "vlen-bytes";
  /** Whether items have words of more than one byte. Only these types need `endian` in `bytes`. */
  readonly multiByte: boolean;
  /** The size of an item in bytes; null if items vary in size. */
  readonly itemSize: number | null;
}

/** The name of v3 records: `struct` since zarr-python 3.2, `structured` before; 3.4 reads both. */
export type RecordName = "struct" | "structured";

export interface Dialect {
  readonly version: 2 | 3;
  readonly records: RecordName;
}

type Named = Omit<ZarrType, "stored">;

/** @throws {UnsupportedError} for a type that Zarr cannot represent. */
export function getZarrType(type: StoredType, dialect: Dialect): ZarrType {
  const stored: StoredType = type.kind === "enum" && isBooleanEnum(type) ? { kind: "bool" } : type;
  return { stored, ...named(stored, dialect) };
}

/** Returns whether an enum is h5py's representation of numpy's bool. */
export function isBooleanEnum({ base, members }: Extract<StoredType, { kind: "enum" }>): boolean {
  const value = (name: string) => Number(members.find((member) => member.name === name)?.value ?? -1);
  return base.bits === 8 && members.length === 2 && value("FALSE") === 0 && value("TRUE") === 1;
}

function named(type: StoredType, dialect: Dialect): Named {
  const v2 = dialect.version === 2;
  switch (type.kind) {
    case "bool":
      return plain(v2 ? "|b1" : "bool", false, 1, 1);
    case "int": {
      const size = type.bits / 8;
      return plain(v2 ? numpy(type.signed ? "i" : "u", size) : `${type.signed ? "" : "u"}int${type.bits}`, 0, size);
    }
    case "float":
      return plain(v2 ? numpy("f", type.bits / 8) : `float${type.bits}`, ZERO, type.bits / 8);
    case "complex":
      return plain(v2 ? numpy("c", type.bits / 8) : `complex${type.bits}`, [ZERO, ZERO], type.bits / 8);
    case "datetime":
    case "timedelta":
      return plain(v2 ? numpyTime(type) : timeName(type), 0, 8);
    case "text":
      if (type.storage.form === "variable") return variable(v2 ? "|O" : "string", "vlen-utf8");
      return fixedText(type.storage.encoding === "utf-32", type.storage.width, v2);
    case "bytes":
      if (type.width === null) return variable(v2 ? "|O" : "variable_length_bytes", "vlen-bytes");
      if (type.width === 0) throw noForm("bytes of width 0");
      return plain(v2 ? `|V${type.width}` : lengthName("raw_bytes", type.width), zeros(type.width), type.width, 1);
    case "record":
      return record(type.fields, dialect);
    case "enum":
      throw noForm(`an enum (${type.members.map(({ name }) => name).join(", ")})`);
    case "sequence":
      throw noForm("sequences of variable length");
    case "reference":
      throw noForm("references");
    case "unsupported":
      throw noForm(type.name);
    default:
      return type satisfies never;
  }
}

const ZERO = new RawJson("0.0");

function plain(name: JsonValue, fill: JsonValue, itemSize: number, word = itemSize): Named {
  return { name, fill, maker: "bytes", multiByte: word > 1, itemSize };
}

function variable(name: string, maker: "vlen-utf8" | "vlen-bytes"): Named {
  return { name, fill: "", maker, multiByte: false, itemSize: null };
}

function numpy(letter: string, size: number): string {
  return `${size === 1 ? "|" : "<"}${letter}${size}`;
}

type Time = Extract<StoredType, { kind: "datetime" | "timedelta" }>;

function numpyTime({ kind, unit, step }: Time): string {
  const letter = kind === "datetime" ? "M" : "m";
  return unit === "generic" ? `<${letter}8` : `<${letter}8[${step === 1 ? "" : step}${unit}]`;
}

function timeName({ kind, unit, step }: Time): JsonValue {
  return { name: `numpy.${kind}64`, configuration: { unit, scale_factor: step } };
}

function lengthName(name: string, width: number): JsonValue {
  return { name, configuration: { length_bytes: width } };
}

/** Describes a string of fixed width. numpy has no strings of width 0, so width 0 becomes the minimum width. */
function fixedText(utf32: boolean, width: number, v2: boolean): Named {
  if (!utf32) {
    const size = Math.max(1, width);
    return plain(v2 ? `|S${size}` : lengthName("null_terminated_bytes", size), "", size, 1);
  }
  const size = Math.max(4, width);
  if (size % 4 !== 0) throw noForm(`UTF-32 text of ${size} bytes`);
  return plain(v2 ? `<U${size / 4}` : lengthName("fixed_length_utf32", size), "", size, 4);
}

/**
 * Describes a record: fields one after another, without padding. Subarrays are refused in v2 as well, because
 * zarr-python 3 cannot read any part of a consolidated store that contains one.
 */
function record(fields: readonly StoredField[], dialect: Dialect): Named {
  if (fields.length === 0) throw noForm("records without fields");
  const names = new Set(fields.map(({ name }) => name));
  if (names.size < fields.length || names.has("")) throw noForm("records with a field name that is empty or repeated");
  let itemSize = 0;
  const types = fields.map(({ name, type, shape }) => {
    const field = named(type, dialect);
    if (field.itemSize === null) {
      const advice = "write its columns as tables of their own";
      throw noForm(`records with a field of variable size (${JSON.stringify(name)}): ${advice}`);
    }
    if (shape.length > 0) throw noForm(`records with a sub-array (${JSON.stringify(name)}) that zarr-python 3 reads`);
    itemSize += field.itemSize;
    return { ...field, field: name };
  });
  const multiByte = types.some((type) => type.multiByte);
  const base = { maker: "bytes", multiByte, itemSize } as const;
  if (dialect.version === 2) {
    return { ...base, name: types.map((type) => [type.field, type.name]), fill: zeros(itemSize) };
  }
  if (dialect.records === "structured") {
    const configuration = { fields: types.map((type) => [type.field, type.name]) };
    return { ...base, name: { name: "structured", configuration }, fill: zeros(itemSize) };
  }
  const configuration = { fields: types.map((type) => ({ name: type.field, data_type: type.name })) };
  return { ...base, name: { name: "struct", configuration }, fill: new Map(types.map((t) => [t.field, t.fill])) };
}

/** Returns `size` zero bytes in base64. */
function zeros(size: number): string {
  return btoa("\0".repeat(size));
}

function noForm(what: string): UnsupportedError {
  return new UnsupportedError(`Zarr has no form for ${what}`);
}
