/** BPCells' lazy operations on matrices that select, reorder, bind or rename, and R's own sparse matrices. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { convertArray, getLength, parseVersion, UINT32, UINT64 } from "annarrow/core/readers";
import type { Group } from "annarrow/format";
import { bindInner, bindOuter } from "./lazy/bind.js";
import { createStoredLists, type LazyMatrix } from "./lazy/lazy-matrix.js";
import { selectLists, selectPositions } from "./lazy/select.js";
import {
  createArrayOpener,
  createEvaluatedBase,
  type MatrixBase,
  ObjectMatrix,
  openMatrixBase,
} from "./object-matrix.js";
import {
  groupSlot,
  type ObjectContext,
  openArraySlot,
  openObjectsSlot,
  readFlagsSlot,
  readIntegersSlot,
  readTextSlot,
} from "./slots.js";

/** Opens the entries of the inner matrix. Its orientation is ignored: the outermost object defines `transpose`. */
async function innerMatrix(object: Group, cx: ObjectContext): Promise<MatrixBase> {
  return openMatrixBase(await cx.open(await groupSlot(object, "matrix", cx.options)), cx.options);
}

export async function renameDims(object: Group, cx: ObjectContext): Promise<Group> {
  return ObjectMatrix.of(object, await innerMatrix(object, cx), cx.options);
}

/** BPCells' types by the names that R uses for them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["uint32_t", "uint"],
  ["float", "float"],
  ["double", "double"],
]);

export async function convertMatrixType(object: Group, cx: ObjectContext): Promise<Group> {
  const base = await innerMatrix(object, cx);
  const type = await readTextSlot(object, "type", cx.options);
  const version = parseVersion(base.version);
  if (version.content === "matrix" && TYPES.get(type) === version.values) {
    return ObjectMatrix.of(object, base, cx.options);
  }
  throw new UnsupportedError(
    `the lazy operation ConvertMatrixType, from ${base.version} to ${type}: only R evaluates it`,
    { element: object.path },
  );
}

/**
 * Selects entries. `row_selection` contains positions within slices and `col_selection` contains slices, whether or not
 * the matrix is transposed.
 */
export async function openMatrixSubset(object: Group, cx: ObjectContext): Promise<Group> {
  const base = await innerMatrix(object, cx);
  const none = (await readFlagsSlot(object, "zero_dims", cx.options)) ?? [false, false];
  const positions = await selection(object, "row_selection", base.inner, none[0], cx);
  const slices = await selection(object, "col_selection", base.outer, none[1], cx);
  if (positions === null && slices === null) return ObjectMatrix.of(object, base, cx.options);
  let matrix: LazyMatrix = base.slices();
  // Select slices first, so that other slices are never read.
  if (slices !== null) matrix = selectLists(matrix, slices);
  if (positions !== null) matrix = selectPositions(matrix, positions);
  return ObjectMatrix.of(object, createEvaluatedBase(matrix, object.path), cx.options);
}

/** Reads a selection as positions that count from 0. If it is null, all positions are selected. */
async function selection(
  object: Group,
  name: string,
  size: number,
  isNone: boolean,
  cx: ObjectContext,
): Promise<Int32Array | null> {
  const selected = await readIntegersSlot(object, name, cx.options);
  if (selected.length === 0) return isNone ? selected : null;
  const wrong = selected.findIndex((position) => position < 1 || position > size);
  if (wrong < 0) return selected.map((position) => position - 1);
  throw new InvalidDataError(`${name}[${wrong + 1}] is ${selected[wrong]}, there are 1 … ${size}`, {
    element: object.path,
  });
}

export async function bindMatrices(object: Group, className: string, cx: ObjectContext): Promise<Group> {
  const matrices: LazyMatrix[] = [];
  for (const inner of await openObjectsSlot(object, "matrix_list", cx.options)) {
    matrices.push((await openMatrixBase(await cx.open(inner), cx.options)).slices());
  }
  const bound = className === "RowBindMatrices" ? bindInner(matrices) : bindOuter(matrices);
  return ObjectMatrix.of(object, createEvaluatedBase(bound, object.path), cx.options);
}

export async function openDgcMatrix(object: Group, { options }: ObjectContext): Promise<Group> {
  const matrix = await groupSlot(object, "mat", options);
  const [inner, outer] = await readIntegersSlot(matrix, "Dim", options);
  const indptr = convertArray(await openArraySlot(matrix, "p", options), UINT64);
  const indices = convertArray(await openArraySlot(matrix, "i", options), UINT32);
  const data = await openArraySlot(matrix, "x", options);
  const nnz = getLength(indices);
  const isReal = data.type.kind === "float" && data.type.bits === 64;
  if (!isReal || getLength(data) !== nnz || getLength(indptr) !== outer + 1) {
    const found = `${getLength(indptr)} pointers, ${nnz} indices and ${getLength(data)} ${data.type.kind} values`;
    throw new InvalidDataError(`${found} of ${inner} x ${outer}`, { element: matrix.path });
  }
  const base: MatrixBase = {
    version: "unpacked-double-matrix-v2",
    inner,
    outer,
    open: createArrayOpener({ indptr, indices, data }),
    slices: () => createStoredLists({ shape: [inner, outer], order: "column", nnz, data, indices, indptr }),
  };
  return ObjectMatrix.of(object, base, options);
}
