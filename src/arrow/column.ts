/**
 * A column in Arrow's physical layout as plain data: typed arrays, no Arrow library. The functions of this folder make
 * columns of stored arrays; `apache.ts` wraps them, and other encoders can take them as they are.
 */

import type { Validity } from "../kernels/values/bitmap.js";
import type { NumberArray } from "../model/stored.js";
import { type ArrowType, type DictionaryType, NULL } from "./type.js";

interface ColumnBase {
  readonly length: number;
  /** null: no value is missing. */
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

/** Bool as a bitmap; FixedSizeBinary as bytes; everything else as the typed array of its width (float16 as bits). */
export interface PrimitiveColumn extends ColumnBase {
  readonly layout: "primitive";
  readonly type: Extract<ArrowType, { id: "Bool" | "Int" | "Float" | "FixedSizeBinary" | "Timestamp" | "Duration" }>;
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

/** Every batch of a stream holds the very same `dictionary` object: Arrow writers compare by identity. */
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

/** `length` nulls. */
export function nullColumn(length: number): NullColumn {
  return { layout: "null", type: { id: "Null" }, length, validity: null };
}

/** The column with other validity. */
export function withValidity(column: Column, validity: Validity | null): Column {
  return validity === null || column.type.id === NULL.id ? column : { ...column, validity };
}

/** Bytes of a column's buffers, its dictionary aside. */
export function columnBytes(column: Column): number {
  const validity = column.validity?.bitmap.length ?? 0;
  switch (column.layout) {
    case "null":
      return 0;
    case "primitive":
      return validity + column.values.byteLength;
    case "variable":
      return validity + column.offsets.byteLength + column.bytes.length;
    case "list":
      return validity + column.offsets.byteLength + columnBytes(column.child);
    case "fixed-size-list":
      return validity + columnBytes(column.child);
    case "struct":
      return column.children.reduce((sum, child) => sum + columnBytes(child), validity);
    case "dictionary":
      return validity + column.indices.byteLength;
    case "union":
      return column.children.reduce((sum, child) => sum + columnBytes(child), 5 * column.length);
    default:
      return column satisfies never;
  }
}

/** Columns of equal length, one per field. */
export interface ColumnBatch {
  readonly length: number;
  readonly columns: readonly Column[];
}
