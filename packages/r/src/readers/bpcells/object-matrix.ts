/**
 * Opens the matrix in an R object as a group of arrays, as in a store that contains the same matrix. The object defines
 * the matrix's form (shape, order, names). The arrays with the entries come from another store, or are evaluated.
 */

import { InvalidDataError, NotFoundError } from "annarrow";
import type { AttributeValue, Node } from "annarrow/core/containers";
import type { SparsePlan } from "annarrow/core/jobs";
import {
  convertArray,
  FLOAT32,
  FLOAT64,
  type MatrixVersion,
  type NumberType,
  openMatrix,
  parseVersion,
  UINT32,
  UINT64,
} from "annarrow/core/readers";
import type { Group, ReadOptions } from "annarrow/format";
import { type EvaluatedArrays, evaluateMatrix } from "./lazy/evaluate.js";
import { createStoredLists, type LazyMatrix } from "./lazy/lazy-matrix.js";
import { SlotGroup } from "./slot-group.js";
import { readFlagsSlot, readIntegersSlot } from "./slots.js";

/** The entries of a matrix without its orientation. */
export interface MatrixBase {
  readonly version: string;
  /** Length of a slice. In a column-major matrix, this is the number of rows, and `outer` the number of columns. */
  readonly inner: number;
  readonly outer: number;
  readonly open: (name: string, options: ReadOptions) => Promise<Node>;
  readonly slices: () => LazyMatrix;
}

const FORM = ["shape", "storage_order", "row_names", "col_names"];

export class ObjectMatrix implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly base: MatrixBase;
  readonly #form: SlotGroup;

  private constructor(object: Group, base: MatrixBase) {
    this.path = object.path;
    this.id = object.id;
    this.attributes = new Map([["version", base.version]]);
    this.base = base;
    this.#form = new SlotGroup(object, base.version);
  }

  /**
   * Combines the form of `object` with the entries of `base`.
   * @throws {InvalidDataError} if the dimensions of the object differ from those of the entries.
   */
  static async of(object: Group, base: MatrixBase, options: ReadOptions): Promise<ObjectMatrix> {
    const dim = await readIntegersSlot(object, "dim", options);
    const transpose = (await readFlagsSlot(object, "transpose", options)) ?? [];
    if (transpose.length !== 1) throw new InvalidDataError("transpose is not TRUE or FALSE", { element: object.path });
    const [inner, outer] = transpose[0] ? [dim[1], dim[0]] : [dim[0], dim[1]];
    // BPCells reads a store without slices as a single slice.
    const isSame = dim.length === 2 && inner === base.inner && outer === (base.outer === 0 ? outer : base.outer);
    if (isSame && outer >= 0 && outer <= Math.max(1, base.outer)) return new ObjectMatrix(object, base);
    const found = transpose[0] ? [base.outer, base.inner] : [base.inner, base.outer];
    throw new InvalidDataError(`the object is ${dim.join(" x ")}, its data are ${found.join(" x ")}`, {
      element: object.path,
    });
  }

  async keys(): Promise<readonly string[]> {
    return [...FORM, ...ARRAYS].sort();
  }

  open(name: string, options: ReadOptions = {}): Promise<Node> {
    return FORM.includes(name) ? this.#form.open(name, options) : this.base.open(name, options);
  }
}

const ARRAYS = ["idxptr", "index", "val"];

/** Opens the entries of a store, or of an object with the same data. */
export async function openMatrixBase(group: Group, options: ReadOptions, exact = true): Promise<MatrixBase> {
  if (group instanceof ObjectMatrix) return group.base;
  const version = String(group.attributes.get("version"));
  const parsed = parseVersion(version);
  if (parsed.content !== "matrix")
    throw new InvalidDataError("fragments, a matrix is expected", { element: group.path });
  const matrix = await openMatrix(group, parsed, { exact, options });
  const base = { ...axesOf(matrix), slices: () => createStoredLists(matrix) };
  if (parsed.number === 1 && (await group.keys(options)).includes("col_ptr")) {
    // Stores of version 1 have no form that an object could change.
    const { indptr, indices, data } = matrix;
    return {
      ...base,
      version: `unpacked-${parsed.values}-matrix-v1`,
      open: createArrayOpener({ indptr, indices, data }),
    };
  }
  return {
    ...base,
    version,
    open: async (name, more) => typed(await group.open(name, more), name, parsed, exact),
  };
}

/** Returns a function that opens the given arrays by the names that they have in an unpacked store. */
export function createArrayOpener({ indptr, indices, data }: Omit<EvaluatedArrays, "nnz">): MatrixBase["open"] {
  const arrays = new Map([
    ["idxptr", indptr],
    ["index", indices],
    ["val", data],
  ]);
  return async (name) => {
    const array = arrays.get(name);
    if (array === undefined) throw new NotFoundError("no such array", { element: name });
    return array;
  };
}

/** Makes entries that are evaluated when one of their arrays is first opened. */
export function createEvaluatedBase(matrix: LazyMatrix, path: string): MatrixBase {
  let evaluating: Promise<EvaluatedArrays> | undefined;
  return {
    version: `unpacked-${valuesOf(matrix, path)}-matrix-v2`,
    inner: matrix.inner,
    outer: matrix.outer,
    async open(name, options) {
      evaluating ??= evaluateMatrix(matrix, path, options);
      return createArrayOpener(await evaluating)(name, options);
    },
    slices: () => matrix,
  };
}

function axesOf({ shape, order }: SparsePlan): { readonly inner: number; readonly outer: number } {
  return order === "row" ? { inner: shape[1], outer: shape[0] } : { inner: shape[0], outer: shape[1] };
}

/** Returns BPCells' name of the value type. @throws {InvalidDataError} for a type that BPCells lacks. */
function valuesOf({ type }: LazyMatrix, path: string): MatrixVersion["values"] {
  if (type.kind === "int" && type.bits === 32 && !type.signed) return "uint";
  if (type.kind === "float" && type.bits !== 16) return type.bits === 32 ? "float" : "double";
  throw new InvalidDataError(`values that are neither uint32 nor float nor double`, { element: path });
}

/** Converts an HDF5 array to the type that the matrix version requires, because the stored type may differ. */
function typed(node: Node, name: string, version: MatrixVersion, exact: boolean): Node {
  if (exact || node.kind === "group" || node.type.kind === "text") return node;
  const type = typeNamed(name, version);
  const same = node.type.kind === type.kind && node.type.bits === type.bits;
  return same && (node.type.kind !== "int" || !node.type.signed) ? node : convertArray(node, type);
}

function typeNamed(name: string, { number, values }: MatrixVersion): NumberType {
  if (name === "val" && values !== "uint") return values === "float" ? FLOAT32 : FLOAT64;
  return name.endsWith("_offsets") || (name === "idxptr" && number !== 1) ? UINT64 : UINT32;
}
