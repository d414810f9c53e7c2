/** Opens BPCells matrices of all versions as compressed sparse matrices. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { SparsePlan } from "../../../jobs/plan/plan.js";
import type { Bp128Kind } from "../../../kernels/bp128/page.js";
import { InvalidDataError, isAnnarrowError } from "../../../model/errors.js";
import {
  checkLength,
  createMeasuredArray,
  FLOAT32,
  FLOAT64,
  getLength,
  type MatrixVersion,
  type NumberType,
  openNumbers,
  openPacked,
  openPackedArray,
  openTexts,
  readIntegers,
  type StoreContext,
  UINT32,
  UINT64,
} from "./arrays.js";

const VALUES = { uint: UINT32, float: FLOAT32, double: FLOAT64 } as const;

/** A matrix, with the number of bits stored per index and per value. */
interface BpcellsMatrix extends SparsePlan {
  readonly bits: { readonly index: number; readonly value: number };
}

/**
 * Opens a matrix. `shape` is rows x columns for both storage orders. Entries within a column (or row) may be unsorted
 * and repeated.
 * @throws {NotFoundError} if an array is missing.
 * @throws {InvalidDataError} if the arrays do not fit together.
 */
export async function openMatrix(group: Group, version: MatrixVersion, cx: StoreContext): Promise<BpcellsMatrix> {
  const early = version.number === 1 && (await isEarly(group, cx));
  const { shape, order, indptr } = early ? await earlyAxes(group, cx) : await axes(group, version, cx);
  const major = shape[order === "row" ? 0 : 1];
  const nnz = await lastPointer(indptr, major, cx);
  const packed = (name: string, kind: Bp128Kind, limit?: number) =>
    openPacked({ group, name, kind, count: nnz, version, limit }, cx);
  const plain = async (name: string, type: NumberType) => createMeasuredArray(await openNumbers(group, name, type, cx));
  const name = early ? "row" : "index";
  const minor = shape[order === "row" ? 1 : 0];
  const isPacked = version.packed && version.values === "uint";
  const [index, value] = await Promise.all([
    version.packed ? packed(name, "d1z", minor) : plain(name, UINT32),
    isPacked ? packed("val", "m1") : plain("val", VALUES[version.values]),
  ]);
  checkLength(index.array, nnz);
  checkLength(value.array, nnz);
  const bits = { index: index.bits, value: value.bits };
  return { shape, order, nnz, data: value.array, indices: index.array, indptr, bits };
}

type Axes = Pick<SparsePlan, "shape" | "order" | "indptr">;

async function axes(group: Group, version: MatrixVersion, cx: StoreContext): Promise<Axes> {
  const stored = await openNumbers(group, "shape", UINT32, cx);
  checkLength(stored, 2);
  const [rows, columns] = await readIntegers(stored, 0, 2, cx);
  const order = await storageOrder(group, cx);
  const major = order === "row" ? rows : columns;
  const indptr =
    version.number === 9999
      ? await openPackedArray({ group, name: "idxptr", kind: "d1", count: major + 1, version }, cx)
      : await openNumbers(group, "idxptr", version.number === 1 ? UINT32 : UINT64, cx);
  return { shape: [rows, columns], order, indptr };
}

async function storageOrder(group: Group, cx: StoreContext): Promise<"row" | "column"> {
  const array = await openTexts(group, "storage_order", cx);
  checkLength(array, 1);
  const read = await array.read(0, 1, cx.options);
  const text = read.kind === "variable" ? new TextDecoder().decode(read.bytes) : "";
  if (text === "row") return "row";
  if (text === "col") return "column";
  throw new InvalidDataError(`${JSON.stringify(text)}, neither row nor col`, { element: array.path });
}

/**
 * True if the store has the first form of version 1. Until August 2022, the arrays had other names, matrices were
 * always stored by column, and only the number of rows was stored.
 */
async function isEarly(group: Group, cx: StoreContext): Promise<boolean> {
  const has = async (name: string) => {
    try {
      await group.open(name, cx.options);
      return true;
    } catch (error) {
      if (isAnnarrowError(error, "NotFoundError")) return false;
      throw error;
    }
  };
  return !(await has("idxptr")) && (await has("col_ptr"));
}

async function earlyAxes(group: Group, cx: StoreContext): Promise<Axes> {
  const indptr = await openNumbers(group, "col_ptr", UINT32, cx);
  const count = await openNumbers(group, "row_count", UINT32, cx);
  checkLength(count, 1);
  if (getLength(indptr) === 0) throw new InvalidDataError("no values", { element: indptr.path });
  const [rows] = await readIntegers(count, 0, 1, cx);
  return { shape: [rows, getLength(indptr) - 1], order: "column", indptr };
}

/** Reads the number of entries. For an axis of length 0, BPCells writes one pointer too many. */
async function lastPointer(indptr: StoredArray, major: number, cx: StoreContext): Promise<number> {
  const count = getLength(indptr);
  if (count !== major + 1 && !(major === 0 && count === 2)) {
    throw new InvalidDataError(`${count} pointers, ${major + 1} are expected`, { element: indptr.path });
  }
  const [last] = await readIntegers(indptr, count - 1, count, cx);
  if (!Number.isSafeInteger(last) || (major === 0 && last !== 0)) {
    const found = Number.isFinite(last) ? last : "more than 2^53";
    throw new InvalidDataError(`the last pointer is ${found}`, { element: indptr.path });
  }
  return last;
}
