/** Makes tables from R matrices, which may be transposed. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { SparsePlan } from "annarrow/core/jobs";
import { getColumnType } from "annarrow/core/jobs";
import { NA_INTEGER } from "annarrow/core/kernels";
import type { NumberArray } from "annarrow/core/model";
import { hasNullableRows } from "annarrow/core/readers";
import type { ReaderContext, StoredArray } from "annarrow/format";
import { createArrayTable, createSparseTable, type TableElement } from "annarrow/format";
import type { RCharacter, RS4, RValue } from "../../../containers/rds/model/value.js";
import { createRArray, FLOAT64 } from "../values/arrays.js";
import { toRColumn } from "../values/column.js";
import { describeRValue, getRSlot, hasSlots, isS4 } from "../values/value.js";
import { isSparse } from "./sparse.js";

/** Opens a matrix that is stored in another package's form. */
export type OpenStored = (object: RValue, path: string, cx: ReaderContext) => Promise<SparsePlan>;

export interface MatrixContext {
  readonly reading: ReaderContext;
  readonly openStored: OpenStored;
}

/** A matrix with its shape and names in R, where features are rows by convention. */
export interface RMatrix {
  readonly shape: readonly [rows: number, columns: number];
  readonly names: readonly [rows: RCharacter | null, columns: RCharacter | null];
  /** Entries of a sparse matrix; null for a dense matrix. */
  readonly sparse: Pick<SparsePlan, "order" | "data" | "indices" | "indptr"> | null;
  /** Makes the table of the matrix, or of its transpose. */
  readonly table: (path: string, form: "same" | "transposed") => TableElement;
}

/** Whether a value is a matrix, including matrices that cannot be read. */
export function isMatrix(value: RValue): boolean {
  if (isS4(value)) {
    return isSparse(value) || value.slots.has("Dim") || value.package === "BPCells" || isDelayed(value);
  }
  const dim = getRSlot(value, "dim");
  return (dim.kind === "integer" || dim.kind === "real") && dim.values.length === 2;
}

/**
 * True if an object is a delayed matrix: its seed is a matrix, is stored in a file, or leads to a matrix in further
 * steps. In other objects, a slot with this name contains a number.
 */
export function isDelayed(value: RS4): boolean {
  if (!value.slots.has("seed")) return false;
  if (value.package === "DelayedArray" || value.package === "HDF5Array") return true;
  let seed = getRSlot(value, "seed");
  while (isS4(seed) && seed.slots.has("seed")) seed = getRSlot(seed, "seed");
  return hasSlots(seed, "filepath") || getRSlot(seed, isS4(seed) ? "Dim" : "dim").kind !== "null";
}

/** Whether a step of a delayed matrix passes on the inner matrix, or only names its rows and columns. */
export function isPassing({ className }: RS4): boolean {
  return /^(Delayed(Matrix|Array|SetDimnames)|(HDF5|TENx|H5AD|H5Sparse)(Matrix|Array))$/.test(className);
}

export function createSparseRMatrix(
  shape: RMatrix["shape"],
  names: RMatrix["names"],
  sparse: NonNullable<RMatrix["sparse"]>,
): RMatrix {
  return {
    ...{ shape, names, sparse },
    table(path, form) {
      const [rows, columns] = shape;
      const isByRow = (sparse.order === "row") === (form === "same");
      const { indices, indptr } = sparse;
      const data = form === "same" ? sparse.data : numbersOf(sparse.data);
      const kind = isByRow ? "csr_matrix" : "csc_matrix";
      return createSparseTable(
        { kind, shape: form === "same" ? shape : [columns, rows], data, indices, indptr },
        path,
        {},
      );
    },
  };
}

/**
 * Converts logicals with missing values to the numbers 0, 1 and NaN, which a dataset's matrix requires. Returns other
 * arrays unchanged.
 */
function numbersOf(array: StoredArray): StoredArray {
  if (array.type.kind !== "enum") return array;
  const { path, id, attributes, shape, read } = array;
  return {
    ...{ kind: "array", path, id, attributes, shape, chunks: null, type: FLOAT64 },
    async read(start, end, options) {
      const stored = await read(start, end, options);
      if (stored.kind !== "fixed") throw new InvalidDataError("logicals that are text");
      const { values } = stored;
      return { kind: "fixed", values: Float64Array.from(values.keys(), (i) => realOf(Number(values[i]))) };
    },
  };
}

/** Converts an integer or a logical to a number. NA becomes NaN. */
function realOf(value: number): number {
  return value === NA_INTEGER ? Number.NaN : value;
}

/** Converts integers and logicals with NA to numbers with NaN. Returns other values unchanged. */
function withNaN(value: RValue): RValue {
  if ((value.kind !== "integer" && value.kind !== "logical") || !value.values.includes(NA_INTEGER)) return value;
  return { kind: "real", values: Float64Array.from(value.values, realOf), attributes: value.attributes };
}

/**
 * Returns the matrix that consists of these values. R's columns are the rows of the transposed matrix in C order, so
 * values are not moved. The transposed matrix belongs to a dataset and contains NaN for R's NA.
 */
export function createDenseRMatrix(given: RValue, shape: RMatrix["shape"], names: RMatrix["names"]): RMatrix {
  const [rows, columns] = shape;
  return {
    ...{ shape, names, sparse: null },
    table(path, form) {
      const dim: RValue = { kind: "integer", values: Int32Array.of(rows, columns), attributes: new Map() };
      if (form === "same") return createColumnTable(path, withDim(given, dim));
      const value = withNaN(given);
      if (value.kind === "real") return numbersTable(path, value.values, [columns, rows]);
      const flat = toRColumn(path, withDim(value, null));
      const { plan } = flat;
      if (plan.kind === "array")
        return columnPlanTable({ ...flat, plan: { kind: "array", array: reshaped(plan.array, [columns, rows]) } }, [
          columns,
          rows,
        ]);
      if (plan.kind === "nullable" && plan.mask !== null) {
        const [all, mask] = [plan.values, plan.mask].map((array) => reshaped(array, [columns, rows]));
        return columnPlanTable({ ...flat, plan: { kind: "nullable", values: all, mask } }, [columns, rows]);
      }
      throw new UnsupportedError(`a matrix of ${describeRValue(value)}`, { element: path });
    },
  };
}

/** Makes a table of real numbers. NA is NaN here, because only dataframes distinguish NA from NaN. */
function numbersTable(path: string, values: NumberArray, shape: readonly [number, number]): TableElement {
  if (values.length !== shape[0] * shape[1]) {
    throw new InvalidDataError(`${values.length} values of a matrix of ${shape.join(" x ")}`, { element: path });
  }
  return createArrayTable(createRArray(path, FLOAT64, shape, { kind: "fixed", values }), { kind: "array", shape });
}

/** Returns the array with `shape[1]` values per row. */
function reshaped(array: StoredArray, shape: readonly [number, number]): StoredArray {
  const [, per] = shape;
  const { readInto, ...flat } = array;
  return {
    ...{ ...flat, shape },
    read: (start, end, options) => array.read(start * per, end * per, options),
    readInto:
      readInto === undefined
        ? undefined
        : (start, end, target, options) => readInto(start * per, end * per, target, options),
  };
}

/** Replaces the dimensions of a value; null removes them. */
function withDim(value: RValue, dim: RValue | null): RValue {
  if (!("attributes" in value)) return value;
  const attributes = new Map(value.attributes);
  attributes.delete("dim");
  attributes.delete("dimnames");
  if (dim !== null) attributes.set("dim", dim);
  return { ...value, attributes };
}

/** Makes the table of a vector, a matrix or an array, with one column `value`. */
export function createColumnTable(path: string, value: RValue): TableElement {
  const column = toRColumn(path, value);
  return columnPlanTable(column, column.shape);
}

function columnPlanTable({ plan, metadata }: ReturnType<typeof toRColumn>, shape: readonly number[]): TableElement {
  if (plan.kind === "array") return createArrayTable(plan.array, { ...metadata, shape });
  const type = getColumnType(plan);
  const nullable = plan.kind !== "nullable" || shape.length === 1 || !hasNullableRows(plan.values);
  return {
    kind: "table",
    fields: [{ name: "value", type, nullable }],
    metadata: { ...metadata, shape },
    rows: shape[0],
    plan: { kind: "columns", columns: [plan] },
    shape,
  };
}
