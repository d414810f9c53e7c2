/** `csr_matrix` and `csc_matrix` 0.1.0, and the `h5sparse_*` groups before 0.7. */

import type { Group, StoredArray } from "../../containers/container.js";
import { InvalidDataError } from "../../errors.js";
import { sparseRows } from "../../jobs/layout.js";
import type { SparsePlan } from "../../jobs/plan.js";
import type { Context } from "../context.js";
import type { TableElement } from "../element.js";
import { inOrder } from "../in-order.js";
import { shapeAttribute } from "./attributes.js";
import { openArray } from "./column.js";
import { encodingMetadata } from "./registry.js";

export type SparseKind = "csr_matrix" | "csc_matrix";

/** A sparse group as coordinate table. */
export async function sparseElement(group: Group, kind: SparseKind, cx: Context): Promise<TableElement> {
  const shape = shapeAttribute(group, "shape") ?? shapeAttribute(group, "h5sparse_shape");
  if (shape === undefined) throw new InvalidDataError("a sparse matrix without shape", { element: group.path });
  const parts = ["data", "indices", "indptr"] as const;
  const [data, indices, indptr] = await inOrder(parts, (name) => openArray(group, name, cx));
  return sparseOf({ kind, shape, data, indices, indptr }, group.path, encodingMetadata(group));
}

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
