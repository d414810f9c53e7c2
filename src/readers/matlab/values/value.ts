/** What a variable, an element of a cell or a field is: its class and size, and where its values lie. */

import type { Node, StoredArray } from "../../../containers/tree/container.js";
import type { ColumnPlan, SparsePlan } from "../../../jobs/plan/plan.js";
import type { AnnarrowError } from "../../../model/errors.js";
import { product, type StoredType } from "../../../model/stored.js";

interface Common {
  /** Verbatim; `""` where the file says none. */
  readonly class: string;
  /** In MATLAB's order: rows first. */
  readonly size: readonly number[];
  /** What else is needed to write it back. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** As it is stored, where it may hold objects. */
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
  | PlainValue
  | RawValue
  | FailedValue;

/** Numbers and logicals; empty ones lie nowhere. */
export interface NumericValue extends Common {
  readonly kind: "numeric";
  readonly type: StoredType;
  /** The dataset, with the dimensions in reverse order; null where there are no values. */
  readonly dataset: StoredArray | null;
}

export interface CharValue extends Common {
  readonly kind: "char";
  /** One row for each row of characters, which run along the second dimension. */
  readonly column: ColumnPlan;
  /** The texts where they are short, and well-formed. */
  readonly texts: readonly string[] | null;
}

export interface CellValue extends Common {
  readonly kind: "cell";
  /** In column-major order. */
  readonly items: readonly Value[];
}

/** Structs of any size; objects of old classes and function handles are stored alike. */
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

/** Objects of `#subsystem#`: one mapping of properties for each. */
export interface ObjectValue extends Common {
  readonly kind: "object";
  readonly objects: readonly ReadonlyMap<string, Value>[];
}

/** An array of members of an enumeration. */
export interface EnumerationValue extends Common {
  readonly kind: "enumeration";
  /** Of the members; null where the file does not say them. */
  readonly names: readonly string[] | null;
  readonly parts: ReadonlyMap<string, Value>;
}

/** A dataset that is no MATLAB array: as it is stored. */
export interface PlainValue extends Common {
  readonly kind: "plain";
  readonly array: StoredArray;
}

/** What is not decoded: the stored values, with what is not understood of them. */
export interface RawValue extends Common {
  readonly kind: "raw";
  readonly array: StoredArray | null;
  readonly reason: string;
}

/** What cannot be read. */
interface FailedValue extends Common {
  readonly kind: "failed";
  readonly error: AnnarrowError;
}

/** One row of characters, or none at all. */
export function isText(value: Value): value is CharValue {
  if (value.kind !== "char" || value.size.length !== 2) return false;
  const { column, size, texts } = value;
  if (texts === null && !(column.kind === "array" && column.array.type.kind === "text")) return false;
  return size[0] === 1 || (size[0] === 0 && size[1] === 0);
}

/** One column, of a table of its own or of several. */
export interface ValueColumn {
  readonly plan: ColumnPlan;
  readonly nullable: boolean;
  readonly rows: number;
  /** Of the array, in MATLAB's order; where an object holds it, not that of the object. */
  readonly size: readonly number[];
  readonly kind: string;
  /** What the values do not say. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Vectors have one row for each element, but 1 x n in a frame is a row; others have one for each row. */
export function rowShape(size: readonly number[], inFrame: boolean): readonly number[] {
  const isVector = size.length === 2 && (size[1] === 1 || (size[0] === 1 && !inFrame));
  return isVector ? [product(size)] : size.length === 0 ? [1] : size;
}

/** Elements of the class `missing`, which is nothing but the place of a value. */
export function missingColumn(rows: number, size: readonly number[], metadata: ValueColumn["metadata"]): ValueColumn {
  return { plan: { kind: "null" }, nullable: true, rows, size, kind: "missing", metadata };
}
