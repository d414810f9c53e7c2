/** Delayed matrices whose values are stored in an HDF5 file (the package HDF5Array). */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { Group, ReaderContext, StoredArray } from "annarrow/format";
import { createArrayTable } from "annarrow/format";
import { findOnlyString, type RValue } from "../../../containers/rds/model/value.js";
import {
  describeRValue,
  getRDimnames,
  getRMatrixShape,
  getRSlot,
  hasClass,
  hasSlots,
  isS4,
  toWholeNumbers,
} from "../values/value.js";
import { createSparseRMatrix, isMatrix, isPassing, type MatrixContext, type RMatrix } from "./forms.js";

/**
 * Maximum number of steps between a delayed matrix and its values. A step only renames the inner matrix or passes it
 * on.
 */
const MAX_STEPS = 16;

/**
 * Opens a delayed matrix that only names its rows and columns.
 * @param open opens the underlying matrix.
 * @throws {UnsupportedError} for delayed operations, which only R can evaluate, and for values that are stored
 * elsewhere.
 */
export async function openDelayedMatrix(
  value: RValue,
  cx: MatrixContext,
  open: (seed: RValue) => Promise<RMatrix>,
): Promise<RMatrix> {
  let names: RMatrix["names"] = [null, null];
  let seed = value;
  for (let step = 0; isS4(seed) && seed.slots.has("seed"); step++) {
    if (step === MAX_STEPS) throw new UnsupportedError(`a delayed matrix of more than ${MAX_STEPS} steps`);
    if (hasClass(seed, "DelayedSetDimnames")) {
      const own = sizesBelow(seed);
      if (own !== null) names = namesOfSeed(seed, own);
    } else if (!isPassing(seed)) {
      throw new UnsupportedError(`${describeRValue(seed)}, a delayed operation that only R evaluates`);
    }
    seed = getRSlot(seed, "seed");
  }
  if (hasSlots(seed, "filepath", "name")) return hdf5Matrix(seed, names, cx);
  if (hasSlots(seed, "filepath", "group")) return sparseHdf5Matrix(seed, names, cx);
  if (!isMatrix(seed)) throw new UnsupportedError(`${describeRValue(seed)} as the values of a delayed matrix`);
  const inner = await open(seed);
  return { ...inner, names: [names[0] ?? inner.names[0], names[1] ?? inner.names[1]] };
}

function nameOf(value: RValue): string {
  return isS4(value) ? value.className : value.kind;
}

/** Returns the sizes of the matrix below a step; null if they are unknown. */
function sizesBelow(value: RValue): readonly number[] | null {
  let inner = value;
  for (let step = 0; step < MAX_STEPS; step++) {
    const dim = ["dim", "Dim"].map((name) => getRSlot(inner, name)).find(({ kind }) => kind === "integer");
    if (dim !== undefined) return [...toWholeNumbers(dim, "dim")];
    inner = getRSlot(inner, "seed");
  }
  return null;
}

/** Opens an HDF5 dataset. R reverses its dimensions, so the dataset's rows are R's columns. */
async function hdf5Matrix(seed: RValue, names: RMatrix["names"], { reading }: MatrixContext): Promise<RMatrix> {
  const { root, file, place } = await fileOf(seed, "name", reading);
  const array = await datasetAt(root, place, reading.options);
  const [columns, rows] = array.shape ?? [];
  if (array.shape?.length !== 2)
    throw new UnsupportedError(`${JSON.stringify(place)} of ${JSON.stringify(file)} is no matrix`);
  return {
    ...{ shape: [rows, columns], names, sparse: null },
    table(path, form) {
      if (form === "transposed") return createArrayTable(array, { kind: "array", shape: [columns, rows] });
      throw new UnsupportedError("a matrix of HDF5Array outside of an experiment", { element: path });
    },
  };
}

interface Place {
  readonly root: Group;
  readonly file: string;
  readonly place: string;
}

/** Opens the file of a seed. @param name the slot with the path in the file. */
async function fileOf(seed: RValue, name: string, { follow }: ReaderContext): Promise<Place> {
  const file = findOnlyString(getRSlot(seed, "filepath"));
  const place = findOnlyString(getRSlot(seed, name));
  if (file === null || place === null) throw new InvalidDataError("a matrix of HDF5Array without the path of its file");
  if (follow === undefined) {
    throw new UnsupportedError(`the values lie at ${JSON.stringify(file)}, where they cannot be read`);
  }
  return { root: (await follow(file)).root, file, place };
}

/** Opens a sparse matrix of a 10x or `.h5ad` file, which a class of HDF5Array refers to. */
async function sparseHdf5Matrix(seed: RValue, names: RMatrix["names"], { reading }: MatrixContext): Promise<RMatrix> {
  const { root, place } = await fileOf(seed, "group", reading);
  const subdata = findOnlyString(getRSlot(seed, "subdata"));
  const at = (name: string) => datasetAt(root, `${place}/${name}`, reading.options);
  const [data, indices, indptr] = await Promise.all([
    at(subdata === null ? "data" : `data/${subdata}`),
    at("indices"),
    at("indptr"),
  ]);
  const order = nameOf(seed).startsWith("CSR_") ? "row" : "column";
  const shape = getRMatrixShape(seed);
  const [rows, columns] = namesOfSeed(seed, shape);
  return createSparseRMatrix(shape, [names[0] ?? rows, names[1] ?? columns], { order, data, indices, indptr });
}

function namesOfSeed(seed: RValue, shape: readonly number[]): RMatrix["names"] {
  const names = getRSlot(seed, "dimnames");
  if (names.kind !== "list") return [null, null];
  return getRDimnames({ kind: "list", values: [], attributes: new Map([["dimnames", names]]) }, shape);
}

async function datasetAt(root: Group, path: string, options: object): Promise<StoredArray> {
  let group = root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const node = await group.open(name, options);
    if (node.kind === "array") return node;
    group = node;
  }
  throw new UnsupportedError(`${JSON.stringify(path)} is a group of HDF5, no matrix`);
}
