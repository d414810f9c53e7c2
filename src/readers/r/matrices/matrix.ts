/** Opens matrices of R: dense, sparse, of BPCells, and of HDF5Array. */

import type { RValue } from "../../../containers/rds/model/value.js";
import { UnsupportedError } from "../../../model/errors.js";
import { called, classesOf, dimnamesOf, isS4, shapeOf, slot } from "../values/value.js";
import { denseMatrix, isMatrix, type MatrixContext, type RMatrix, sparseMatrix } from "./forms.js";
import { isSparse, sparseSlots } from "./sparse.js";

/** @throws {UnsupportedError} for values that are no matrices, and for matrices that only R evaluates. */
export async function matrixOf(value: RValue, path: string, cx: MatrixContext): Promise<RMatrix> {
  if (isS4(value) && isSparse(value)) {
    const shape = shapeOf(value, "Dim");
    return sparseMatrix(shape, dimnamesOf(value, shape), sparseSlots(value, shape, path));
  }
  if (isS4(value) && value.package === "BPCells") {
    const plan = await cx.openStored(value, path, cx.reading);
    return sparseMatrix(plan.shape, storedNames(value, plan.shape), plan);
  }
  if (isS4(value) && value.slots.has("seed")) {
    const { delayedMatrix } = await import("./delayed.js");
    return delayedMatrix(value, cx, (seed) => matrixOf(seed, path, cx));
  }
  const x = slot(value, "x");
  if (isS4(value) && x.kind === "real" && classesOf(value).includes("dgeMatrix")) {
    const shape = shapeOf(value, "Dim");
    return denseMatrix({ ...x, attributes: new Map() }, shape, dimnamesOf(value, shape));
  }
  if (!isS4(value) && isMatrix(value)) {
    const shape = shapeOf(value);
    return denseMatrix(value, shape, dimnamesOf(value, shape));
  }
  throw new UnsupportedError(`${called(value)}, no matrix that is read`);
}

function storedNames(object: RValue, shape: readonly number[]): RMatrix["names"] {
  const names = slot(object, "dimnames");
  return names.kind === "list"
    ? dimnamesOf({ kind: "list", values: [], attributes: new Map([["dimnames", names]]) }, shape)
    : [null, null];
}
