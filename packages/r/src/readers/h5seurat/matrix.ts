/** R matrices in HDF5: sparse groups in column-major order, and datasets in which R's dimensions are reversed. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import { createMappedArray } from "annarrow/core/containers";
import { findMissingInR } from "annarrow/core/kernels";
import { getShapeAttribute, getTextAttribute, mapConcurrently } from "annarrow/core/readers";
import type { Group, StoredArray } from "annarrow/format";
import {
  createArrayTable,
  createSparseTable,
  listChildNames,
  type ReaderContext,
  type TableElement,
} from "annarrow/format";
import { openArray } from "./column.js";

/** A matrix with its shape in R. */
export interface OpenedMatrix {
  readonly shape: readonly [rows: number, columns: number];
  readonly isSparse: boolean;
  /** Makes the table of the matrix, or of its transpose. */
  readonly table: (path: string, form: "same" | "transposed") => TableElement;
}

const PARTS = ["data", "indices", "indptr"];

export function isSparse(keys: readonly string[]): boolean {
  return PARTS.every((part) => keys.includes(part));
}

/**
 * Opens a matrix.
 * @param expected shape in R of a sparse matrix that does not store its own shape.
 * @throws {InvalidDataError} for a node that is not a matrix.
 */
export async function openMatrix(
  node: Node,
  expected: readonly [number, number] | null,
  cx: ReaderContext,
): Promise<OpenedMatrix> {
  if (node.kind === "array") return denseMatrix(node);
  if (!isSparse(await listChildNames(node, cx))) throw new InvalidDataError("a group that is no sparse matrix");
  return sparseMatrix(node, expected, cx);
}

async function sparseMatrix(
  group: Group,
  expected: readonly [number, number] | null,
  cx: ReaderContext,
): Promise<OpenedMatrix> {
  const [data, indices, indptr] = await mapConcurrently(PARTS, (name) => openArray(group, name, cx));
  const shape = sparseShape(group) ?? expected;
  if (shape === null) throw new InvalidDataError("a sparse matrix without dims", { element: group.path });
  const [rows, columns] = shape;
  // SeuratDisk copies the matrices of .h5ad files unchanged, with their encoding.
  const isByRow = getTextAttribute(group, "encoding-type") === "csc_matrix";
  return {
    ...{ shape, isSparse: true },
    table(path, form) {
      const isCsr = isByRow === (form === "same");
      const own = form === "same" ? shape : ([columns, rows] as const);
      return createSparseTable(
        { kind: isCsr ? "csr_matrix" : "csc_matrix", shape: own, data, indices, indptr },
        path,
        {},
      );
    },
  };
}

/** Returns the shape in R: `dims`, or the shape that AnnData records for the transposed matrix. */
function sparseShape(group: Group): readonly [number, number] | null {
  const dims = getShapeAttribute(group, "dims");
  if (dims !== undefined) return dims;
  const shape = getShapeAttribute(group, "shape") ?? getShapeAttribute(group, "h5sparse_shape");
  return shape === undefined ? null : [shape[1], shape[0]];
}

function denseMatrix(array: StoredArray): OpenedMatrix {
  const { shape, type } = array;
  if (shape?.length !== 2 || (type.kind !== "int" && type.kind !== "float")) {
    throw new InvalidDataError(`a dataset of shape ${JSON.stringify(shape)} and type ${type.kind}, no matrix`, {
      element: array.path,
    });
  }
  const [columns, rows] = shape;
  return {
    ...{ shape: [rows, columns], isSparse: false },
    table: (_path, form) =>
      form === "transposed"
        ? createArrayTable(replaceMissing(array), { kind: "array", shape: [columns, rows] })
        : createArrayTable(replaceMissing(reverseDimensions(array)), { kind: "array", shape: [rows, columns] }),
  };
}

/** Reverses the dimensions into R's order. @throws {UnsupportedError} for values without a reversed view. */
export function reverseDimensions(array: StoredArray): StoredArray {
  const view = array.capabilities?.view;
  if (view !== undefined) return view({ form: "reversed", bool: false });
  throw new UnsupportedError("a matrix of values that cannot be reordered", { element: array.path });
}

/** Refuses NA in a matrix of integers, which cannot represent it. In a matrix of reals, NA is NaN. */
export function replaceMissing(array: StoredArray): StoredArray {
  const { type, path } = array;
  if (type.kind !== "int" || type.bits !== 32 || !type.signed) return array;
  return createMappedArray(array, type, (values) => {
    if (findMissingInR(values) === null) return values;
    throw new UnsupportedError("NA in a matrix of integers; as.double() makes it readable", { element: path });
  });
}
