/** Converts HDF5 enums to Bool if their members allow it, otherwise to a dictionary of the members' names, and back. */

import { getBitmapByteLength, isBitSet, packBits } from "../kernels/values/bitmap.js";
import { InvalidDataError, UnsupportedElementError } from "../model/errors.js";
import { allocate, type FixedValues, type NumberArray, type StoredType, viewAsBytes } from "../model/stored.js";
import { indexType } from "./categorical.js";
import type { Column, VariableColumn } from "./column.js";
import { createTextColumn, decodeTextValues } from "./text.js";
import { type ArrowIndex, type ArrowType, BOOL, UTF8 } from "./type.js";

type EnumType = Extract<StoredType, { kind: "enum" }>;

/**
 * Returns the Arrow type of an enum: Bool for {FALSE, TRUE} and rhdf5's {FALSE, TRUE, NA}, otherwise Dictionary, whose
 * indices are the members' positions.
 */
export function getEnumArrowType(type: EnumType): ArrowType {
  return isBoolean(type) ? BOOL : { id: "Dictionary", index: enumIndex(type), value: UTF8, ordered: false };
}

/**
 * Returns the index type: as wide as the stored values, or wider. For example, an int8 enum with 256 members has
 * positions that exceed an int8.
 */
function enumIndex({ base, members }: EnumType): ArrowIndex {
  const index = indexType(base);
  if (index.bits === 32 || members.length <= 2 ** (index.signed ? index.bits - 1 : index.bits)) return index;
  return { ...index, bits: index.bits === 8 ? 16 : 32 };
}

function isBoolean({ members }: EnumType): boolean {
  const names = new Set(members.map((member) => member.name));
  if (!names.has("FALSE") || !names.has("TRUE")) return false;
  return names.size === 2 || (names.size === 3 && names.has("NA"));
}

/** One dictionary per enum type, so that all batches of a column share it. */
const dictionaries = new WeakMap<EnumType, VariableColumn>();

/**
 * Converts stored enum values to a column.
 * @throws {InvalidDataError} for a value that is not a member.
 */
export function toEnumColumn(type: EnumType, { values }: FixedValues, length: number): Column {
  const position = new Map(type.members.map((member, i) => [Number(member.value), i]));
  const at = (i: number): number => {
    const found = position.get(Number(values[i]));
    if (found !== undefined) return found;
    throw new InvalidDataError(
      `enum value ${values[i]} at ${i} is no member (${type.members.map((member) => member.value).join(", ")})`,
    );
  };
  if (isBoolean(type)) {
    const truth = new Uint8Array(length);
    const valid = new Uint8Array(length);
    let nullCount = 0;
    for (let i = 0; i < length; i++) {
      const { name } = type.members[at(i)];
      truth[i] = name === "TRUE" ? 1 : 0;
      valid[i] = name === "NA" ? 0 : 1;
      nullCount += 1 - valid[i];
    }
    const validity =
      nullCount === 0 ? null : { bitmap: packBits(valid).subarray(0, getBitmapByteLength(length)), nullCount };
    return { layout: "primitive", type: { id: "Bool" }, length, validity, values: packBits(truth) };
  }
  const index = enumIndex(type);
  const indices = allocate({ kind: "int", bits: index.bits, signed: index.signed }, length);
  for (let i = 0; i < length; i++) indices[i] = at(i);
  let dictionary = dictionaries.get(type);
  if (dictionary === undefined) {
    dictionary = createTextColumn(type.members.map((member) => member.name));
    dictionaries.set(type, dictionary);
  }
  return {
    layout: "dictionary",
    type: { id: "Dictionary", index, value: UTF8, ordered: false },
    length,
    validity: null,
    indices,
    dictionary,
  };
}

/** Whether the enum has a member `NA` for nulls. */
export function isOptionalEnum(type: EnumType): boolean {
  return isBoolean(type) && type.members.some((member) => member.name === "NA");
}

/**
 * Converts booleans or member names to the members' values.
 * @throws {InvalidInputError} for a name that is not a member, and for a null if the enum has no member for nulls.
 */
export function toEnumValues(type: EnumType, column: Column): NumberArray {
  const { length } = column;
  const out = allocate(type, length);
  const value = (name: string | null, i: number): number | bigint => {
    const member = type.members.find((one) => one.name === (name ?? "NA"));
    if (member !== undefined && (name !== null || isOptionalEnum(type))) return member.value;
    const names = type.members.map((one) => one.name).join(", ");
    throw new UnsupportedElementError(`${name === null ? "a missing value" : name} at ${i} is no member (${names})`);
  };
  const wide = out instanceof BigInt64Array || out instanceof BigUint64Array;
  const nameAt = namesOf(column);
  const cache = new Map<string | null, number | bigint>();
  for (let i = 0; i < length; i++) {
    const name = column.validity === null || isBitSet(column.validity.bitmap, i) ? nameAt(i) : null;
    let found = cache.get(name);
    if (found === undefined) {
      found = value(name, i);
      cache.set(name, found);
    }
    if (wide) out[i] = BigInt(found);
    else out[i] = Number(found);
  }
  return out;
}

function namesOf(column: Column): (i: number) => string | null {
  if (column.layout === "primitive" && column.type.id === "Bool") {
    const bits = viewAsBytes(column.values);
    return (i) => (isBitSet(bits, i) ? "TRUE" : "FALSE");
  }
  if (column.layout === "variable") {
    const names = decodeTextValues(column);
    return (i) => names[i];
  }
  if (column.layout === "dictionary" && column.dictionary.layout === "variable") {
    const names = decodeTextValues(column.dictionary);
    const { indices } = column;
    return (i) => names[Number(indices[i])] ?? null;
  }
  throw new TypeError(`${column.type.id} is not the Arrow type of an enum`);
}
