/** What an element is once its encoding, of any age, has been understood. */

import { pandasMetadata } from "../arrow/pandas.js";
import { storedMayBeNull } from "../arrow/stored.js";
import { type ArrowField, mayBeNull } from "../arrow/type.js";
import { storageMetadata } from "../arrow/written-type.js";
import type { Group, StoredArray } from "../containers/tree/container.js";
import { sparseRows } from "../jobs/plan/layout.js";
import type { ColumnPlan, RowsPlan, SparsePlan } from "../jobs/plan/plan.js";
import { columnRows, columnType } from "../jobs/rows/columns.js";
import type { TableMetadata } from "../model/dataset.js";
import { InvalidDataError } from "../model/errors.js";

export type Element = MappingElement | TableElement;

/** A mapping is no table: its children are elements of their own. */
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
  /** Length along the first axis of what the element annotates: rows of a frame, height of a matrix. */
  readonly shape: readonly number[];
}

/** A one-dimensional element that can be a column of a dataframe. */
export interface ColumnElement {
  readonly plan: ColumnPlan;
  /** What is needed to write it back; `kind` is the modern `encoding-type`. */
  readonly metadata: Readonly<Record<string, unknown>> & { readonly kind: string };
}

/** Stands for an element that is stored as null and counts as not there: X and raw since anndata 0.12. */
export const ABSENT: TableElement = {
  kind: "table",
  fields: [],
  metadata: { kind: "null" },
  rows: 0,
  plan: { kind: "columns", columns: [] },
  shape: [],
};

/** Stands for what has no value at all. */
export function nullTable(metadata: Readonly<Record<string, unknown>>): TableElement {
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
 * @param metadata of the table; its `shape` is that of the element, where the stored one says it otherwise.
 * @throws {UnsupportedError} for values that have no Arrow type.
 */
export function arrayTable(
  array: StoredArray,
  metadata: TableMetadata & { readonly shape: readonly number[] },
): TableElement {
  const { shape } = metadata;
  const rows = array.shape?.[0] ?? 1;
  if (array.type.kind === "record" && (array.shape ?? []).length <= 1) {
    const columns = array.type.fields.map((_, field) => ({ kind: "field", array, field }) as const);
    const fields = array.type.fields.map((one, i): ArrowField => {
      const stored = storageMetadata(one.type);
      return {
        name: one.name,
        type: columnType(columns[i]),
        nullable: one.shape.length === 0 && storedMayBeNull(one.type),
        ...(Object.keys(stored).length === 0 ? {} : { metadata: stored }),
      };
    });
    return { kind: "table", fields, metadata, rows, plan: { kind: "columns", columns }, shape };
  }
  const plan = { kind: "array", array } as const;
  return {
    kind: "table",
    fields: [{ name: "value", type: columnType(plan), nullable: arrayMayBeNull(array) }],
    metadata: { ...metadata, ...storageMetadata(array.type) },
    rows,
    plan: { kind: "columns", columns: [plan] },
    shape,
  };
}

/** Whether a row of the array can be missing: a list of values that can be is none. */
export function arrayMayBeNull({ type, shape }: StoredArray): boolean {
  return (shape?.length ?? 0) <= 1 && storedMayBeNull(type);
}

/**
 * @param path what errors call it.
 * @param names of the columns.
 * @throws {InvalidDataError} where a column is not as long as the index.
 */
export function dataframeTable(
  path: string,
  names: readonly string[],
  columns: readonly ColumnElement[],
  metadata: Readonly<Record<string, unknown>>,
): TableElement {
  const rows = columnRows(columns[0].plan);
  const fields = columns.map(({ plan, metadata: column }, i): ArrowField => {
    const length = columnRows(plan);
    if (length !== rows) {
      throw new InvalidDataError(`column ${JSON.stringify(names[i])} has ${length} rows, the index has ${rows}`, {
        element: path,
      });
    }
    const type = columnType(plan);
    const nullable = plan.kind === "nullable" || plan.kind === "ragged" || mayBeNull(type);
    return { name: names[i], type, nullable, metadata: column };
  });
  return {
    kind: "table",
    fields,
    metadata: { kind: "dataframe", ...metadata },
    schemaMetadata: new Map([["pandas", pandasMetadata(fields)]]),
    rows,
    plan: { kind: "columns", columns: columns.map(({ plan }) => plan) },
    shape: [rows],
  };
}

export type SparseKind = "csr_matrix" | "csc_matrix";

interface SparseParts {
  readonly kind: SparseKind;
  readonly shape: readonly [number, number];
  readonly data: StoredArray;
  readonly indices: StoredArray;
  readonly indptr: StoredArray;
}

/** Three stored arrays as coordinate table; their lengths are checked here, their values when they are read. */
export function sparseTable(parts: SparseParts, element: string, encoding: object): TableElement {
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
  return { kind: "table", ...sparseRows(matrix, "coordinate"), rows: nnz, metadata, shape };
}

/** The numpy name of an integer type, so that pointers and indices are written back in their width. */
function storedName({ type }: StoredArray): string {
  return type.kind === "int" ? `${type.signed ? "int" : "uint"}${type.bits}` : type.kind;
}
