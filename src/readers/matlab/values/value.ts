/**
 * Values: variables, elements of cells and fields, by class and size, with their stored arrays; and columns of values.
 */

import type { Node, StoredArray } from "../../../containers/tree/container.js";
import type { ColumnPlan, SparsePlan } from "../../../jobs/plan/plan.js";
import type { AnnarrowError } from "../../../model/errors.js";
import { countElements, type StoredType } from "../../../model/stored.js";

interface Common {
  /** MATLAB class of the value, verbatim; `""` if the file has none. */
  readonly class: string;
  /** Size of the value, rows first as in MATLAB. */
  readonly size: readonly number[];
  /** Details that a writer needs to restore the value. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Stored node of a value that may contain objects. */
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

/** Numbers and logicals; empty arrays have no dataset. */
export interface NumericValue extends Common {
  readonly kind: "numeric";
  readonly type: StoredType;
  /** The dataset, with dimensions in reverse order; null for an empty array. */
  readonly dataset: StoredArray | null;
}

export interface CharValue extends Common {
  readonly kind: "char";
  /** One row for each row of characters. The characters of a row extend along the second dimension. */
  readonly column: ColumnPlan;
  /** The texts if they are short and well-formed; else null. */
  readonly texts: readonly string[] | null;
}

export interface CellValue extends Common {
  readonly kind: "cell";
  /** Elements in column-major order. */
  readonly items: readonly Value[];
}

/** Structs of any size. Objects of old classes and function handles are stored in the same way. */
export interface StructValue extends Common {
  readonly kind: "struct";
  readonly fields: readonly string[];
  /** The values of each field, for each element in column-major order. */
  readonly columns: readonly (readonly Value[])[];
}

export interface SparseValue extends Common {
  readonly kind: "sparse";
  readonly matrix: SparsePlan;
}

/** Objects of `#subsystem#`, with one mapping of properties per object. */
export interface ObjectValue extends Common {
  readonly kind: "object";
  readonly objects: readonly ReadonlyMap<string, Value>[];
}

export interface EnumerationValue extends Common {
  readonly kind: "enumeration";
  /** The names of the members; null if the file does not have them. */
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
  /** Size of the array, rows first. An object that contains it may have another size. */
  readonly size: readonly number[];
  readonly kind: string;
  /** Details that the values do not contain. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Returns the shape of a column. A vector has a row for each element, but 1 x n in a table is one row; other arrays
 * keep their size.
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
