/**
 * Values: variables, and elements of cells and fields, with their class, their size and their stored arrays. Also
 * columns made from values.
 */

import type { Node, StoredArray } from "../../../containers/tree/container.js";
import type { ColumnPlan, SparsePlan } from "../../../jobs/plan/plan.js";
import type { AnnarrowError } from "../../../model/errors.js";
import { countElements, type StoredType } from "../../../model/stored.js";

interface Common {
  /** The value's MATLAB class, verbatim; `""` if the file has none. */
  readonly class: string;
  /** The value's size, with rows first as in MATLAB. */
  readonly size: readonly number[];
  /** Details that a writer needs to restore the value. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The stored node, if the value may contain objects. */
  readonly node?: Node;
}

export type Value =
  | NumericValue
  | CharValue
  | CellValue
  | StructValue
  | SparseValue
  | ObjectValue
  | EnumerationValue
  | GenericValue
  | RawValue
  | FailedValue;

/** A numeric or logical array. An empty array has no dataset. */
export interface NumericValue extends Common {
  readonly kind: "numeric";
  readonly type: StoredType;
  /** The dataset, with dimensions in reverse order; null for an empty array. */
  readonly dataset: StoredArray | null;
}

export interface CharValue extends Common {
  readonly kind: "char";
  /**
   * A column with one row for each row of the character array. A row's characters extend along the second dimension.
   */
  readonly column: ColumnPlan;
  /** The texts if they are short and well-formed; otherwise null. */
  readonly texts: readonly string[] | null;
}

export interface CellValue extends Common {
  readonly kind: "cell";
  /** Elements in column-major order. */
  readonly items: readonly Value[];
}

/** A struct array of any size. Function handles and objects of old classes are stored in the same way. */
export interface StructValue extends Common {
  readonly kind: "struct";
  readonly fields: readonly string[];
  /** For each field, the values of all elements in column-major order. */
  readonly columns: readonly (readonly Value[])[];
}

export interface SparseValue extends Common {
  readonly kind: "sparse";
  readonly matrix: SparsePlan;
}

/** Objects stored in `#subsystem#`, with one property mapping per object. */
export interface ObjectValue extends Common {
  readonly kind: "object";
  readonly objects: readonly ReadonlyMap<string, Value>[];
}

export interface EnumerationValue extends Common {
  readonly kind: "enumeration";
  /** The members' names; null if the file does not contain them. */
  readonly names: readonly string[] | null;
  readonly parts: ReadonlyMap<string, Value>;
}

/** A dataset without a MATLAB class, as it is stored. */
export interface GenericValue extends Common {
  readonly kind: "plain";
  readonly array: StoredArray;
}

/** A value that cannot be decoded: its stored array, and the reason. */
export interface RawValue extends Common {
  readonly kind: "raw";
  readonly array: StoredArray | null;
  readonly reason: string;
}

interface FailedValue extends Common {
  readonly kind: "failed";
  readonly error: AnnarrowError;
}

/** Whether a value is a single text: one row of characters, or 0 x 0. */
export function isText(value: Value): value is CharValue {
  if (value.kind !== "char" || value.size.length !== 2) return false;
  const { column, size, texts } = value;
  if (texts === null && !(column.kind === "array" && column.array.type.kind === "text")) return false;
  return size[0] === 1 || (size[0] === 0 && size[1] === 0);
}

export interface ValueColumn {
  readonly plan: ColumnPlan;
  readonly nullable: boolean;
  readonly rows: number;
  /** Size of the array, rows first. An object that contains the array may have a different size. */
  readonly size: readonly number[];
  readonly kind: string;
  /** Details that the values do not contain. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Returns a column's shape. A vector has one row per element, except that a 1 x n vector in a table is a single row.
 * Other arrays keep their size.
 */
export function getColumnShape(size: readonly number[], inFrame: boolean): readonly number[] {
  const isVector = size.length === 2 && (size[1] === 1 || (size[0] === 1 && !inFrame));
  return isVector ? [countElements(size)] : size.length === 0 ? [1] : size;
}

/** Makes a column of nulls, for the class `missing`. */
export function createMissingColumn(
  rows: number,
  size: readonly number[],
  metadata: ValueColumn["metadata"],
): ValueColumn {
  return { plan: { kind: "null" }, nullable: true, rows, size, kind: "missing", metadata };
}
