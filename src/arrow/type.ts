/**
 * Arrow's types as plain data, which can be sent to a worker. Schemas are made from it before any Arrow library is
 * loaded, and `apache.ts` turns it into apache-arrow's objects.
 */

export type TimestampUnit = "s" | "ms" | "us" | "ns";

export interface ArrowInt {
  readonly id: "Int";
  readonly bits: 8 | 16 | 32 | 64;
  readonly signed: boolean;
}

/**
 * The index of a dictionary. It never has 64 bits, because apache-arrow for JavaScript cannot look up values by a
 * bigint.
 */
export interface ArrowIndex extends ArrowInt {
  readonly bits: 8 | 16 | 32;
}

export type ArrowType =
  | { readonly id: "Null" }
  | { readonly id: "Bool" }
  | ArrowInt
  | { readonly id: "Float"; readonly bits: 16 | 32 | 64 }
  | { readonly id: "Utf8" }
  | { readonly id: "Binary" }
  | { readonly id: "FixedSizeBinary"; readonly width: number }
  /** Days since 1970-01-01, without a time of day. */
  | { readonly id: "Date32" }
  /** A timestamp with a time zone is an instant in UTC that is displayed in that zone. */
  | { readonly id: "Timestamp" | "Duration"; readonly unit: TimestampUnit; readonly timezone?: string }
  | { readonly id: "List"; readonly item: ArrowField }
  | { readonly id: "FixedSizeList"; readonly size: number; readonly item: ArrowField }
  | { readonly id: "Struct"; readonly fields: readonly ArrowField[] }
  | DictionaryType
  | { readonly id: "DenseUnion"; readonly fields: readonly ArrowField[] };

export interface DictionaryType {
  readonly id: "Dictionary";
  readonly index: ArrowIndex;
  readonly value: ArrowType;
  readonly ordered: boolean;
}

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  readonly nullable: boolean;
  /** The JSON under the field metadata key `annarrow`, from which a writer restores the column. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export const NULL: ArrowType = { id: "Null" };
export const BOOL: ArrowType = { id: "Bool" };
export const UTF8: ArrowType = { id: "Utf8" };
export const BINARY: ArrowType = { id: "Binary" };
export const DATE: Extract<ArrowType, { id: "Date32" }> = { id: "Date32" };
export const INT32: ArrowIndex = { id: "Int", bits: 32, signed: true };
export const INT64: ArrowInt = { id: "Int", bits: 64, signed: true };

/** Makes a field, which is nullable by default. */
export function createField(name: string, type: ArrowType, nullable = true): ArrowField {
  return { name, type, nullable };
}

/**
 * Nests `type` in FixedSizeLists, one per dimension, outermost first; the child field is named `item`.
 * @param isNullable whether values can be missing.
 */
export function nestType(type: ArrowType, dimensions: readonly number[], isNullable = mayBeNull(type)): ArrowType {
  return dimensions.reduceRight<ArrowType>(
    (item, size) => ({ id: "FixedSizeList", size, item: createField("item", item, item === type && isNullable) }),
    type,
  );
}

/** True if stored values of this type can be null. */
export function mayBeNull(type: ArrowType): boolean {
  return ["Null", "Date32", "Timestamp", "Duration", "Dictionary"].includes(type.id);
}

/** Returns the coordinate type for an axis of `size`: Int32, or Int64 if positions exceed 2^31 - 1. */
export function getCoordinateType(size: number): ArrowInt {
  return size > 2 ** 31 - 1 ? INT64 : INT32;
}

/** Returns the type as readable text: `Dictionary<Int8, Utf8>`, `FixedSizeList<Float32>[50]`. */
export function describeArrowType(type: ArrowType): string {
  switch (type.id) {
    case "Null":
    case "Bool":
    case "Utf8":
    case "Binary":
    case "Date32":
      return type.id;
    case "Int":
      return `${type.signed ? "Int" : "Uint"}${type.bits}`;
    case "Float":
      return `Float${type.bits}`;
    case "FixedSizeBinary":
      return `FixedSizeBinary[${type.width}]`;
    case "Timestamp":
    case "Duration":
      return `${type.id}<${type.unit}${type.timezone === undefined ? "" : `, ${type.timezone}`}>`;
    case "List":
      return `List<${describeArrowType(type.item.type)}>`;
    case "FixedSizeList":
      return `FixedSizeList<${describeArrowType(type.item.type)}>[${type.size}]`;
    case "Struct":
      return `Struct<${fieldsText(type.fields)}>`;
    case "Dictionary":
      return `Dictionary<${describeArrowType(type.index)}, ${describeArrowType(type.value)}${type.ordered ? ", ordered" : ""}>`;
    case "DenseUnion":
      return `DenseUnion<${fieldsText(type.fields)}>`;
    default:
      return type satisfies never;
  }
}

function fieldsText(fields: readonly ArrowField[]): string {
  return fields.map((one) => `${one.name}: ${describeArrowType(one.type)}`).join(", ");
}

/**
 * Returns the size in bytes of one value of this type in Arrow's buffers. Text and lists are estimated at 32 bytes, and
 * dictionaries are counted without their values.
 */
export function estimateValueSize(type: ArrowType): number {
  switch (type.id) {
    case "Null":
      return 0;
    case "Bool":
      return 1 / 8;
    case "Int":
    case "Float":
      return type.bits / 8;
    case "FixedSizeBinary":
      return type.width;
    case "Date32":
      return 4;
    case "Timestamp":
    case "Duration":
      return 8;
    case "Utf8":
    case "Binary":
    case "List":
      return 32;
    case "FixedSizeList":
      return type.size * estimateValueSize(type.item.type);
    case "Struct":
      return type.fields.reduce((sum, one) => sum + estimateValueSize(one.type), 0);
    case "DenseUnion":
      return 5 + type.fields.reduce((most, one) => Math.max(most, estimateValueSize(one.type)), 0);
    case "Dictionary":
      return type.index.bits / 8;
    default:
      return type satisfies never;
  }
}

/** True if the size of a value depends on the data. */
export function isVariable(type: ArrowType): boolean {
  switch (type.id) {
    case "Utf8":
    case "Binary":
    case "List":
    case "DenseUnion":
      return true;
    case "FixedSizeList":
      return isVariable(type.item.type);
    case "Struct":
      return type.fields.some((one) => isVariable(one.type));
    case "Null":
    case "Bool":
    case "Int":
    case "Float":
    case "FixedSizeBinary":
    case "Date32":
    case "Timestamp":
    case "Duration":
    case "Dictionary":
      return false;
    default:
      return type satisfies never;
  }
}

/** A field with all of its metadata as text, if it has more metadata than the key `annarrow`. */
export interface SchemaField extends ArrowField {
  readonly stored?: ReadonlyMap<string, string>;
}
