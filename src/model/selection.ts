/** Selections of cells and genes, which `select` accepts. */

import type { Vector } from "apache-arrow";
import { checkOptions, type NamesOf } from "./option-names.js";

/**
 * Observations and variables to select.
 * @example
 * ```ts
 * const part = await data.select({ obs: sql`cell_type = 'B cell'`, var: ["CD3E", "MS4A1"] });
 * ```
 */
export interface Selection {
  /** The modality of a MuData to select. The result is a separate AnnData. */
  readonly modality?: string;
  /**
   * The element that becomes the main matrix: a layer (`layers/counts`), or `raw/X`, which brings `raw/var` and
   * `raw/varm`. The former matrix is left out. With `raw/X`, all elements along the former matrix's variables are left
   * out, too. `warnings` lists the elements that were left out.
   */
  readonly X?: string;
  /** Names of elements to include with everything below them, such as `obsm` or `layers/counts`; all by default. */
  readonly elements?: readonly string[];
  /** Names of elements to exclude with everything below them; none by default. */
  readonly drop?: readonly string[];
  /**
   * New names for elements, keyed by the names that they would otherwise have in the result:
   * `{ "obsm/X_pca": "obsm/pca" }`. Everything below an element is renamed with it. The new name must imply the same
   * axes. Values that refer to an element, as in `uns`, stay unchanged.
   */
  readonly rename?: Readonly<Record<string, string>>;
  /** Observations (cells); all by default. */
  readonly obs?: AxisSelector;
  /** Variables (genes); all by default. */
  readonly var?: AxisSelector;
  /**
   * Removes categories of `obs` and `var` that no row of the result uses, and their colours in `uns/<column>_colors`,
   * as anndata does. By default this is false, and categories stay unchanged.
   */
  readonly dropUnused?: boolean;
  readonly signal?: AbortSignal;
}

const SELECTION_OPTIONS = {
  ...{ modality: true, X: true, elements: true, drop: true, rename: true },
  ...{ obs: true, var: true, dropUnused: true, signal: true },
} as const satisfies NamesOf<Selection>;

/**
 * Checks that an object has only the properties of a selection, because a misspelt property would select everything.
 * @throws {InvalidInputError} for any other property.
 */
export function checkSelection(selection: object): void {
  checkOptions(selection, "select", SELECTION_OPTIONS);
}

/**
 * Selects positions along an axis by one of the following:
 * - names, in any order: an array of strings, or a column of text,
 * - positions from 0 on, in any order and with repeats: an array of numbers, a typed array, or a column of integers,
 * - a mask with one value for each position: an array of booleans, or a column of Bool,
 * - a range (`slice(0, 1000)`), a predicate in SQL (`sql`), or a function over columns (`where`).
 */
export type AxisSelector =
  | readonly string[]
  | readonly number[]
  | readonly boolean[]
  | PositionArray
  | Vector
  | AxisSlice
  | SqlPredicate
  | ColumnPredicate;

/** Typed arrays of positions. */
export type PositionArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

/** The positions [start, end) along an axis, clipped to its length. */
export interface AxisSlice {
  readonly kind: "slice";
  readonly start: number;
  readonly end: number;
}

/**
 * A condition in DuckDB's SQL over the columns that describe an axis, or a statement about all tables (`select …`,
 * `from …`, `with …`). The result of a statement has the positions in its column `row`, or `col` for the columns of the
 * matrix.
 */
export interface SqlPredicate {
  readonly kind: "sql";
  readonly text: string;
}

/** A condition, written as a function of the values of some columns. The values have apache-arrow's form. */
export interface ColumnPredicate {
  readonly kind: "where";
  readonly columns: readonly string[];
  readonly test: (...values: readonly unknown[]) => boolean;
}

/**
 * A condition in DuckDB's SQL over the columns that describe an axis, or a statement about all tables. The result of a
 * statement must contain the positions in its column `row`, or `col` for the columns of the matrix. The order and
 * repetitions of the positions are preserved. Values in `${}` become literals.
 * @example
 * ```ts
 * const part = await data.select({ obs: sql`cell_type = ${type} and n_counts > 500` });
 * const best = await data.select({ obs: sql`select row from obs order by n_counts desc limit 100` });
 * ```
 */
export function sql(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | bigint | boolean)[]
): SqlPredicate {
  const text = texts.reduce((all, next, i) => all + literal(values[i - 1]) + next);
  return { kind: "sql", text };
}

function literal(value: string | number | bigint | boolean): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return typeof value === "number" && !Number.isFinite(value) ? `'${value}'::double` : String(value);
}

/**
 * A condition, written as a function of the values of some columns.
 * @example
 * ```ts
 * const part = await data.select({ obs: where(["n_counts"], (counts) => Number(counts) > 500) });
 * ```
 */
export function where(columns: readonly string[], test: (...values: readonly unknown[]) => boolean): ColumnPredicate {
  return { kind: "where", columns, test };
}

/**
 * The positions [start, end) along an axis; `end` defaults to the end of the axis.
 * @example
 * ```ts
 * const first = await data.select({ obs: slice(0, 1000) });
 * ```
 */
export function slice(start: number, end: number = Number.POSITIVE_INFINITY): AxisSlice {
  return { kind: "slice", start, end };
}
