/** Opens R matrices: dense, sparse, BPCells and HDF5Array matrices. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { NA_INTEGER } from "annarrow/core/kernels";
import { encodeStrings } from "../../../containers/rds/model/text.js";
import {
  createUnreadableError,
  findOnlyString,
  type RS4,
  type RValue,
  readIntoMemory,
} from "../../../containers/rds/model/value.js";
import { createRNumberVector, FLOAT64, INT32 } from "../values/arrays.js";
import { createRCharacter, isFrame, type RFrame, toRFrame } from "../values/frame.js";
import { expandRle } from "../values/rle.js";
import {
  describeRValue,
  getRAttributes,
  getRDimnames,
  getRMatrixShape,
  getRSlot,
  hasClass,
  isS4,
  listRTexts,
} from "../values/value.js";
import {
  createDenseRMatrix,
  createSparseRMatrix,
  isDelayed,
  isMatrix,
  type MatrixContext,
  type RMatrix,
} from "./forms.js";
import { getSparseSlots, isSparse, isStoredWhole } from "./sparse.js";

/** @throws {UnsupportedError} for values that are not matrices, and for matrices that only R can evaluate. */
export async function openRMatrix(given: RValue, path: string, cx: MatrixContext): Promise<RMatrix> {
  const value = isS4(given) && isSparse(given) && isStoredWhole(given) ? given : await readIntoMemory(given);
  if (isFrame(value)) return createFrameMatrix(toRFrame(value));
  if (isS4(value) && isSparse(value)) {
    const shape = getRMatrixShape(value, "Dim");
    return createSparseRMatrix(shape, getRDimnames(value, shape), getSparseSlots(value, shape, path));
  }
  if (isS4(value) && value.package === "BPCells") {
    const plan = await cx.openStored(value, path, cx.reading);
    return createSparseRMatrix(plan.shape, storedNames(value, plan.shape), plan);
  }
  if (isS4(value) && isDelayed(value)) {
    const { openDelayedMatrix } = await import("./delayed.js");
    return openDelayedMatrix(value, cx, (seed) => openRMatrix(seed, path, cx));
  }
  if (isS4(value) && DENSE.test(value.className)) {
    const shape = getRMatrixShape(value, "Dim");
    return createDenseRMatrix(denseValues(value, shape), shape, getRDimnames(value, shape));
  }
  if (isS4(value) && value.className === "ddiMatrix") return diagonalMatrix(value, path);
  if (!isS4(value) && isMatrix(value)) {
    const shape = getRMatrixShape(value);
    return createDenseRMatrix(value, shape, getRDimnames(value, shape));
  }
  if (value.kind === "unreadable") throw createUnreadableError(value);
  throw new UnsupportedError(`${describeRValue(value)}, no matrix that is read`);
}

/** Dense matrices of the package Matrix: general matrices, and symmetric ones, of which only one half is valid. */
const DENSE = /^(d|l)(ge|sy)Matrix$/;

/**
 * Returns the values of a dense matrix. A symmetric matrix is completed from its valid half.
 * @throws {InvalidDataError}
 */
function denseValues(value: RS4, [rows, columns]: readonly [number, number]): RValue {
  const x = getRSlot(value, "x");
  if (x.kind !== "real" && x.kind !== "logical") throw new InvalidDataError(`the values are ${describeRValue(x)}`);
  if (x.values.length !== rows * columns) {
    throw new InvalidDataError(`${x.values.length} values of a matrix of ${rows} x ${columns}`);
  }
  if (!value.className.endsWith("syMatrix")) return { ...x, attributes: new Map() };
  if (rows !== columns) throw new InvalidDataError(`a symmetric matrix of ${rows} x ${columns}`);
  const upper = findOnlyString(getRSlot(value, "uplo")) === "U";
  const values = x.values.slice();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < row; column++) {
      const [low, high] = [column * rows + row, row * rows + column];
      if (upper) values[low] = values[high];
      else values[high] = values[low];
    }
  }
  return x.kind === "real"
    ? { kind: "real", values: Float64Array.from(values), attributes: new Map() }
    : { kind: "logical", values: Int32Array.from(values), attributes: new Map() };
}

/** Opens a diagonal matrix. Its values are 1 if it stores no values. */
function diagonalMatrix(value: RS4, path: string): RMatrix {
  const shape = getRMatrixShape(value, "Dim");
  const [count] = shape;
  const x = getRSlot(value, "x");
  const isUnit = findOnlyString(getRSlot(value, "diag")) === "U";
  if (count > MAX_DIAGONAL) throw new UnsupportedError(`a diagonal of ${count} values, more than ${MAX_DIAGONAL}`);
  const values = isUnit ? new Float64Array(count).fill(1) : x.kind === "real" ? x.values : null;
  if (values?.length !== count || shape[1] !== count) {
    throw new InvalidDataError(`${describeRValue(x)} of a diagonal of ${shape.join(" x ")}`);
  }
  const places = Int32Array.from({ length: count + 1 }, (_, i) => i);
  return createSparseRMatrix(shape, getRDimnames(value, shape), {
    order: "column",
    data: createRNumberVector(`${path}/x`, FLOAT64, values),
    indices: createRNumberVector(`${path}/i`, INT32, places.subarray(0, count)),
    indptr: createRNumberVector(`${path}/p`, INT32, places),
  });
}

const MAX_DIAGONAL = 2 ** 24;

function storedNames(object: RValue, shape: readonly number[]): RMatrix["names"] {
  const names = getRSlot(object, "dimnames");
  return names.kind === "list"
    ? getRDimnames({ kind: "list", values: [], attributes: new Map([["dimnames", names]]) }, shape)
    : [null, null];
}

// A frame in place of a matrix, as in the assays of some experiments, becomes the matrix that R's `as.matrix` returns.

type Vector = Extract<RValue, { kind: "logical" | "integer" | "real" | "character" }>;

/**
 * Creates the matrix of a dataframe, with the same columns. If logicals, integers and real numbers are mixed, all
 * values become the last of these types that occurs.
 * @throws {UnsupportedError} for columns that are not numbers, unless all are text.
 */
function createFrameMatrix({ rows, names, columns }: RFrame): RMatrix {
  const vectors = columns.map(([name, value]) => vectorOf(name, value, rows));
  const shape = [rows, columns.length] as const;
  return createDenseRMatrix(joined(vectors, rows), shape, [names, createRCharacter(columns.map(([name]) => name))]);
}

function vectorOf(name: string, value: RValue, rows: number): Vector {
  const vector = hasClass(value, "Rle") ? expandRle(value) : value;
  const isVector =
    vector.kind === "logical" || vector.kind === "integer" || vector.kind === "real" || vector.kind === "character";
  if (!isVector || getRAttributes(vector).has("class") || getRAttributes(vector).has("dim")) {
    throw new UnsupportedError(`column ${JSON.stringify(name)} of a frame as a matrix is ${describeRValue(value)}`);
  }
  const count = vector.kind === "character" ? vector.text.encodings.length : vector.values.length;
  if (count !== rows) throw new InvalidDataError(`${count} values in column ${JSON.stringify(name)} of ${rows} rows`);
  return vector;
}

/** Concatenates the values of all columns. */
function joined(vectors: readonly Vector[], rows: number): RValue {
  const texts = vectors.filter((one) => one.kind === "character");
  if (texts.length > 0) {
    if (texts.length < vectors.length) throw new UnsupportedError("a frame of text and numbers as a matrix");
    return {
      kind: "character",
      text: encodeStrings(texts.flatMap(({ text }) => listRTexts(text))),
      attributes: new Map(),
    };
  }
  const numbers = vectors.filter((one) => one.kind !== "character");
  if (numbers.some(({ kind }) => kind === "real")) {
    const values = new Float64Array(rows * numbers.length);
    for (const [i, one] of numbers.entries()) {
      for (let row = 0; row < rows; row++) {
        const value = one.values[row];
        values[i * rows + row] = one.kind !== "real" && value === NA_INTEGER ? Number.NaN : value;
      }
    }
    return { kind: "real", values, attributes: new Map() };
  }
  const values = new Int32Array(rows * numbers.length);
  for (const [i, one] of numbers.entries()) values.set(one.values, i * rows);
  const kind = numbers.some((one) => one.kind === "integer") ? "integer" : "logical";
  return { kind, values, attributes: new Map() };
}
