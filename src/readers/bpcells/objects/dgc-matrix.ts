/** `Iterable_dgCMatrix_wrapper`: a sparse matrix of R's package Matrix, which BPCells takes as one of its own. */

import type { Group } from "../../../containers/tree/container.js";
import { InvalidDataError } from "../../../model/errors.js";
import { storedSlices } from "../lazy/stored-slices.js";
import { converted, lengthOf, UINT32, UINT64 } from "../stores/typed-array.js";
import type { ObjectContext } from "./context.js";
import { arraysOf, type MatrixBase, ObjectMatrix } from "./object-matrix.js";
import { arraySlot, groupSlot, integersSlot } from "./slots.js";

export async function dgcMatrix(object: Group, { options }: ObjectContext): Promise<Group> {
  const matrix = await groupSlot(object, "mat", options);
  const [inner, outer] = await integersSlot(matrix, "Dim", options);
  const indptr = converted(await arraySlot(matrix, "p", options), UINT64);
  const indices = converted(await arraySlot(matrix, "i", options), UINT32);
  const data = await arraySlot(matrix, "x", options);
  const nnz = lengthOf(indices);
  const isReal = data.type.kind === "float" && data.type.bits === 64;
  if (!isReal || lengthOf(data) !== nnz || lengthOf(indptr) !== outer + 1) {
    const found = `${lengthOf(indptr)} pointers, ${nnz} indices and ${lengthOf(data)} ${data.type.kind} values`;
    throw new InvalidDataError(`${found} of ${inner} x ${outer}`, { element: matrix.path });
  }
  const base: MatrixBase = {
    version: "unpacked-double-matrix-v2",
    inner,
    outer,
    open: arraysOf({ indptr, indices, data }),
    slices: () => storedSlices({ shape: [inner, outer], order: "column", nnz, data, indices, indptr }),
  };
  return ObjectMatrix.of(object, base, options);
}
