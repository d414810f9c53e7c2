/** `csr_matrix` and `csc_matrix` 0.1.0, and the `h5sparse_*` groups before 0.7. */

import type { Group } from "../../containers/tree/container.js";
import { InvalidDataError } from "../../model/errors.js";
import type { ReaderContext } from "../context.js";
import type { TableElement } from "../element.js";
import { inOrder } from "../in-order.js";
import { type SparseKind, sparseOf } from "../sparse-matrix.js";
import { shapeAttribute } from "./attributes.js";
import { openArray } from "./column.js";
import { encodingMetadata } from "./registry.js";

/** A sparse group as coordinate table. */
export async function sparseElement(group: Group, kind: SparseKind, cx: ReaderContext): Promise<TableElement> {
  const shape = shapeAttribute(group, "shape") ?? shapeAttribute(group, "h5sparse_shape");
  if (shape === undefined) throw new InvalidDataError("a sparse matrix without shape", { element: group.path });
  const parts = ["data", "indices", "indptr"] as const;
  const [data, indices, indptr] = await inOrder(parts, (name) => openArray(group, name, cx));
  return sparseOf({ kind, shape, data, indices, indptr }, group.path, encodingMetadata(group));
}
