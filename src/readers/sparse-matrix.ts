/** The three arrays of a compressed matrix as a coordinate table, whatever the format that stores them. */

import type { StoredArray } from "../containers/tree/container.js";
import { sparseRows } from "../jobs/plan/layout.js";
import type { SparsePlan } from "../jobs/plan/plan.js";
import { InvalidDataError } from "../model/errors.js";
import type { TableElement } from "./element.js";

export type SparseKind = "csr_matrix" | "csc_matrix";

export interface SparseParts {
  readonly kind: SparseKind;
  readonly shape: readonly [number, number];
  readonly data: StoredArray;
  readonly indices: StoredArray;
  readonly indptr: StoredArray;
}

/** Three stored arrays as coordinate table; their lengths are checked here, their values when they are read. */
export function sparseOf(parts: SparseParts, element: string, encoding: object): TableElement {
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
