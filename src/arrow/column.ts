/**
 * A column in Arrow's physical layout as plain data: typed arrays, without an Arrow library. The functions in this
 * folder make columns from stored arrays; `apache.ts` wraps them, and other encoders can use them directly.
 */

import type { Validity } from "../kernels/values/bitmap.js";
import type { NumberArray } from "../model/stored.js";
import { type ArrowInt, type ArrowType, type DictionaryType, NULL } from "./type.js";

interface ColumnBase {
  readonly length: number;
  /** The validity of the values; null if no value is null. */
  readonly validity: Validity | null;
}

export type Column =
  | NullColumn
  | PrimitiveColumn
  | VariableColumn
  | ListColumn
  | FixedSizeListColumn
  | StructColumn
  | DictionaryColumn
  | UnionColumn;

export interface NullColumn extends ColumnBase {
  readonly layout: "null";
  readonly type: Extract<ArrowType, { id: "Null" }>;
}

/**
 * Bool values are stored as a bitmap, FixedSizeBinary values as bytes, and other types as the typed array of their
 * width (float16 as bits).
 */
export interface PrimitiveColumn extends ColumnBase {
  readonly layout: "primitive";
  readonly type: Extract<
    ArrowType,
    { id: "Bool" | "Int" | "Float" | "FixedSizeBinary" | "Date32" | "Timestamp" | "Duration" }
  >;
  readonly values: NumberArray;
}

export interface VariableColumn extends ColumnBase {
  readonly layout: "variable";
  readonly type: Extract<ArrowType, { id: "Utf8" | "Binary" }>;
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

export interface ListColumn extends ColumnBase {
  readonly layout: "list";
  readonly type: Extract<ArrowType, { id: "List" }>;
  readonly offsets: Int32Array;
  readonly child: Column;
}

export interface FixedSizeListColumn extends ColumnBase {
  readonly layout: "fixed-size-list";
  readonly type: Extract<ArrowType, { id: "FixedSizeList" }>;
  readonly child: Column;
}

export interface StructColumn extends ColumnBase {
  readonly layout: "struct";
  readonly type: Extract<ArrowType, { id: "Struct" }>;
  readonly children: readonly Column[];
}

/**
 * A dictionary column. Batches of a stream share one `dictionary` object, because Arrow writers compare dictionaries by
 * identity.
 */
export interface DictionaryColumn extends ColumnBase {
  readonly layout: "dictionary";
  readonly type: DictionaryType;
  readonly indices: NumberArray;
  readonly dictionary: Column;
}

export interface UnionColumn extends ColumnBase {
  readonly layout: "union";
  readonly type: Extract<ArrowType, { id: "DenseUnion" }>;
  readonly typeIds: Int8Array;
  readonly offsets: Int32Array;
  readonly children: readonly Column[];
}

export function createNullColumn(length: number): NullColumn {
  return { layout: "null", type: { id: "Null" }, length, validity: null };
}

export function withValidity(column: Column, validity: Validity | null): Column {
  return validity === null || column.type.id === NULL.id ? column : { ...column, validity };
}

/** Returns the size of a column's buffers in bytes, without its dictionary. */
export function countColumnBytes(column: Column): number {
  const validity = column.validity?.bitmap.length ?? 0;
  switch (column.layout) {
    case "null":
      return 0;
    case "primitive":
      return validity + column.values.byteLength;
    case "variable":
      return validity + column.offsets.byteLength + column.bytes.length;
    case "list":
      return validity + column.offsets.byteLength + countColumnBytes(column.child);
    case "fixed-size-list":
      return validity + countColumnBytes(column.child);
    case "struct":
      return column.children.reduce((sum, child) => sum + countColumnBytes(child), validity);
    case "dictionary":
      return validity + column.indices.byteLength;
    case "union":
      return column.children.reduce((sum, child) => sum + countColumnBytes(child), 5 * column.length);
    default:
      return column satisfies never;
  }
}

/**
 * True if two columns of numbers or text without nulls share their buffers. Equal values may still have separate
 * buffers.
 */
export function haveSameBuffers(a: Column, b: Column): boolean {
  if (a.length !== b.length || a.validity !== null || b.validity !== null) return false;
  if (a.layout === "primitive" && b.layout === "primitive") return areSame(a.values, b.values);
  return (
    a.layout === "variable" && b.layout === "variable" && areSame(a.offsets, b.offsets) && areSame(a.bytes, b.bytes)
  );
}

function areSame(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const [left, right] = [a, b].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** Columns of equal length, one per field. */
export interface ColumnBatch {
  readonly length: number;
  readonly columns: readonly Column[];
}

/** Returns a column of `type` without rows, and with empty dictionaries. */
export function emptyColumn(type: ArrowType): Column {
  const base = { length: 0, validity: null };
  switch (type.id) {
    case "Null":
      return { ...base, layout: "null", type };
    case "Bool":
    case "FixedSizeBinary":
      return { ...base, layout: "primitive", type, values: new Uint8Array() };
    case "Int":
    case "Float":
      return { ...base, layout: "primitive", type, values: emptyNumbers(type) };
    case "Date32":
    case "Timestamp":
    case "Duration":
      return { ...base, layout: "primitive", type, values: emptyNumbers(type) };
    case "Utf8":
    case "Binary":
      return { ...base, layout: "variable", type, offsets: new Int32Array(1), bytes: new Uint8Array() };
    case "List":
      return { ...base, layout: "list", type, offsets: new Int32Array(1), child: emptyColumn(type.item.type) };
    case "FixedSizeList":
      return { ...base, layout: "fixed-size-list", type, child: emptyColumn(type.item.type) };
    case "Struct":
      return { ...base, layout: "struct", type, children: type.fields.map((one) => emptyColumn(one.type)) };
    case "Dictionary":
      return {
        ...base,
        layout: "dictionary",
        type,
        indices: emptyNumbers(type.index),
        dictionary: emptyColumn(type.value),
      };
    case "DenseUnion": {
      const children = type.fields.map((one) => emptyColumn(one.type));
      return { ...base, layout: "union", type, typeIds: new Int8Array(), offsets: new Int32Array(), children };
    }
    default:
      return type satisfies never;
  }
}

/** Returns an empty typed array of the kind that holds values of a primitive type. */
export function emptyNumbers(type: ArrowType): NumberArray {
  switch (type.id) {
    case "Int":
      return integers(type);
    case "Float":
      return type.bits === 16 ? new Uint16Array() : type.bits === 32 ? new Float32Array() : new Float64Array();
    case "Date32":
      return new Int32Array();
    case "Timestamp":
    case "Duration":
      return new BigInt64Array();
    default:
      return new Uint8Array();
  }
}

function integers({ bits, signed }: ArrowInt): NumberArray {
  switch (bits) {
    case 8:
      return signed ? new Int8Array() : new Uint8Array();
    case 16:
      return signed ? new Int16Array() : new Uint16Array();
    case 32:
      return signed ? new Int32Array() : new Uint32Array();
    case 64:
      return signed ? new BigInt64Array() : new BigUint64Array();
    default:
      return bits satisfies never;
  }
}
