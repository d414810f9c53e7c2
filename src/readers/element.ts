/** Makes the elements that all formats share: tables for arrays, dataframes and sparse matrices. */

import { createPandasMetadata } from "../arrow/pandas.js";
import { toStorageMetadata } from "../arrow/storage-metadata.js";
import { isStoredTypeNullable } from "../arrow/stored.js";
import { type ArrowField, mayBeNull } from "../arrow/type.js";
import type { Group, StoredArray } from "../containers/tree/container.js";
import { createSparseRows } from "../jobs/plan/matrix-plan.js";
import type { ColumnPlan, RowsPlan, SparsePlan } from "../jobs/plan/plan.js";
import { getColumnRowCount, getColumnType } from "../jobs/rows/columns.js";
import type { TableMetadata } from "../model/dataset.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError } from "../model/errors.js";

export type Element = MappingElement | TableElement;

/** A mapping. It has no table, because its children are elements themselves. */
interface MappingElement {
  readonly kind: "mapping";
  readonly type: "dict" | "anndata" | "raw";
  readonly group: Group;
}

export interface TableElement {
  readonly kind: "table";
  readonly fields: readonly ArrowField[];
  readonly metadata: TableMetadata;
  readonly schemaMetadata?: ReadonlyMap<string, string>;
  readonly rows: number;
  readonly plan: RowsPlan;
  /**
   * Lengths along the axes that the element annotates: the rows of a dataframe, or the rows and columns of a matrix.
   */
  readonly shape: readonly number[];
  /** Errors of columns that cannot be read, by column name. The table contains the other columns. */
  readonly failures?: ReadonlyMap<string, AnnarrowError>;
}

/** A one-dimensional element that can be a column of a dataframe. */
export interface ColumnElement {
  readonly plan: ColumnPlan;
  /** Details that a writer needs to write the column again; `kind` is the current `encoding-type`. */
  readonly metadata: Readonly<Record<string, unknown>> & { readonly kind: string };
}

/** An element that is stored as null and counts as absent. anndata has stored X and raw like this since 0.12. */
export const ABSENT: TableElement = {
  kind: "table",
  fields: [],
  metadata: { kind: "null" },
  rows: 0,
  plan: { kind: "columns", columns: [] },
  shape: [],
};

/** Makes the table for a null value, which has one row of type Null. */
export function createNullTable(metadata: Readonly<Record<string, unknown>>): TableElement {
  return {
    kind: "table",
    fields: [{ name: "value", type: { id: "Null" }, nullable: true }],
    metadata: { kind: "null", shape: [], ...metadata },
    rows: 1,
    plan: { kind: "columns", columns: [{ kind: "null" }] },
    shape: [],
  };
}

/**
 * Makes the table for a stored array. It has one column `value`, or one column for each field of a record.
 * @param metadata the table's metadata. Its `shape` is that of the element, which may differ from the array's shape.
 * @throws {UnsupportedError} for values without an Arrow type.
 */
export function createArrayTable(
  array: StoredArray,
  metadata: TableMetadata & { readonly shape: readonly number[] },
): TableElement {
  const { shape } = metadata;
  const rows = array.shape?.[0] ?? 1;
  if (array.type.kind === "record" && (array.shape ?? []).length <= 1) {
    const columns = array.type.fields.map((_, field) => ({ kind: "field", array, field }) as const);
    const fields = array.type.fields.map((one, i): ArrowField => {
      const stored = toStorageMetadata(one.type);
      return {
        name: one.name,
        type: getColumnType(columns[i]),
        nullable: one.shape.length === 0 && isStoredTypeNullable(one.type),
        metadata: Object.keys(stored).length === 0 ? undefined : stored,
      };
    });
    return { kind: "table", fields, metadata, rows, plan: { kind: "columns", columns }, shape };
  }
  const plan = { kind: "array", array } as const;
  return {
    kind: "table",
    fields: [{ name: "value", type: getColumnType(plan), nullable: hasNullableRows(array) }],
    metadata: { ...metadata, ...toStorageMetadata(array.type) },
    rows,
    plan: { kind: "columns", columns: [plan] },
    shape,
  };
}

/** Whether a row of the array can be missing. A list cannot be missing, although its values can. */
export function hasNullableRows({ type, shape }: StoredArray): boolean {
  return (shape?.length ?? 0) <= 1 && isStoredTypeNullable(type);
}

/**
 * Creates the table for a dataframe. A column is omitted if it cannot be read, or if its length differs from that of
 * most columns. If this column is the index, the table has no index.
 * @param path the dataframe's name in errors.
 * @param names the names of the columns, the index first.
 * @param columns the columns, or the errors of columns that could not be opened.
 * @throws {AnnarrowError} with the error of the first column, if no column can be read.
 */
export function createDataframeTable(
  path: string,
  names: readonly string[],
  columns: readonly (ColumnElement | AnnarrowError)[],
  metadata: Readonly<Record<string, unknown>>,
): TableElement {
  const failures = new Map<string, AnnarrowError>();
  const found = columns.flatMap((column, i) => {
    const failure = isAnnarrowError(column) ? column : null;
    try {
      if (failure !== null) throw failure;
      if (!isAnnarrowError(column)) return [{ ...column, name: names[i], type: getColumnType(column.plan) }];
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      failures.set(names[i], error.locate({ element: `${path}/${names[i]}` }));
    }
    return [];
  });
  const rows = commonLength(found.map(({ plan }) => getColumnRowCount(plan)));
  const isIndexLong = found.some(({ name, plan }) => name === metadata.index && getColumnRowCount(plan) === rows);
  const readable = found.filter(({ name, plan }) => {
    const length = getColumnRowCount(plan);
    if (length !== rows) {
      const problem = `column ${JSON.stringify(name)} has ${length} rows, ${isIndexLong ? "the index has" : "most columns have"} ${rows}`;
      failures.set(name, new InvalidDataError(problem, { element: `${path}/${name}` }));
    }
    return length === rows;
  });
  const [failure] = failures.values();
  if (readable.length === 0 && failure !== undefined) throw failure;
  const fields = readable.map(({ name, plan, type, metadata: column }): ArrowField => {
    const hasMissing = plan.kind === "nullable" || (plan.kind === "viewed" && plan.missing !== null);
    const nullable = hasMissing || plan.kind === "ragged" || mayBeNull(type);
    return { name, type, nullable, metadata: column };
  });
  const { index, indexColumn, ...rest } = metadata;
  const isIndexed = typeof index !== "string" || !failures.has(index);
  return {
    kind: "table",
    fields,
    metadata: { kind: "dataframe", ...(isIndexed ? metadata : rest) },
    // The pandas metadata declare the first column as the index.
    schemaMetadata: new Map(isIndexed ? [["pandas", createPandasMetadata(fields)]] : []),
    rows,
    plan: { kind: "columns", columns: readable.map(({ plan }) => plan) },
    shape: [rows],
    failures: failures.size === 0 ? undefined : failures,
  };
}

/** Returns the most frequent length of the columns. If several lengths are equally frequent, returns the first. */
function commonLength(lengths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const length of lengths) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [[length] = [0]] = [...counts].toSorted(([, a], [, b]) => b - a);
  return length;
}

export type SparseKind = "csr_matrix" | "csc_matrix";

interface SparseParts {
  readonly kind: SparseKind;
  readonly shape: readonly [number, number];
  readonly data: StoredArray;
  readonly indices: StoredArray;
  readonly indptr: StoredArray;
}

/**
 * Creates a coordinate table from the three arrays of a compressed matrix. Lengths are checked here, whereas values are
 * checked when they are read.
 * @throws {InvalidDataError} if the lengths do not fit together.
 */
export function createSparseTable(parts: SparseParts, element: string, encoding: object): TableElement {
  const { kind, shape, data, indices, indptr } = parts;
  for (const [name, array] of Object.entries({ data, indices, indptr })) {
    if (array.shape?.length !== 1) {
      throw new InvalidDataError(`${name} of a sparse matrix has shape ${JSON.stringify(array.shape)}`, { element });
    }
  }
  const order = kind === "csr_matrix" ? "row" : "column";
  const [nnz, indexCount, pointerCount] = [data, indices, indptr].map((array) => array.shape?.[0] ?? 0);
  if (indexCount !== nnz) throw new InvalidDataError(`${nnz} values in data, ${indexCount} in indices`, { element });
  const major = shape[order === "row" ? 0 : 1];
  if (pointerCount !== major + 1) {
    throw new InvalidDataError(`indptr has ${pointerCount} values, shape ${JSON.stringify(shape)} needs ${major + 1}`, {
      element,
    });
  }
  const matrix: SparsePlan = { shape, order, nnz, data, indices, indptr };
  const metadata = {
    kind,
    shape,
    order,
    ...encoding,
    indices: storedName(indices),
    indptr: storedName(indptr),
  };
  return { kind: "table", ...createSparseRows(matrix, "coordinate"), rows: nnz, metadata, shape };
}

/** Returns the numpy name of an integer type, so that a writer can restore the width of pointers and indices. */
function storedName({ type }: StoredArray): string {
  return type.kind === "int" ? `${type.signed ? "int" : "uint"}${type.bits}` : type.kind;
}
