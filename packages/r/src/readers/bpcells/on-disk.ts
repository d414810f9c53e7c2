/** Opens BPCells objects that contain a path to their data in a directory or an HDF5 file. */

import { InvalidDataError, isAnnarrowError, UnsupportedError } from "annarrow";
import { runWithLocation } from "annarrow/core/model";
import { convertArray, FLOAT32, FLOAT64, getLength, storeVersion, UINT32, UINT64 } from "annarrow/core/readers";
import type { Container, Group, ReadOptions } from "annarrow/format";
import { createStoredLists } from "./lazy/lazy-matrix.js";
import { createArrayOpener, type MatrixBase, ObjectMatrix, openMatrixBase } from "./object-matrix.js";
import { type ObjectContext, openArraySlot, readTextSlot } from "./slots.js";

export async function openMatrixDir(object: Group, cx: ObjectContext): Promise<Group> {
  const { root } = await openReferred(object, "dir", "directory", cx);
  return matrixOf(object, await openMatrixBase(root, cx.options), cx.options);
}

export async function openMatrixH5(object: Group, cx: ObjectContext): Promise<Group> {
  const group = await storeIn(object, cx);
  return matrixOf(object, await openMatrixBase(group, cx.options, false), cx.options);
}

/** Opens an `AnnDataMatrixH5`: a sparse matrix of an .h5ad file, with rows and columns swapped. */
export async function openAnnDataMatrixH5(object: Group, cx: ObjectContext): Promise<Group> {
  const { root } = await openReferred(object, "path", "hdf5", cx);
  const group = await groupIn(root, await readTextSlot(object, "group", cx.options), cx.options);
  const type = await readTextSlot(object, "type", cx.options);
  return ObjectMatrix.of(object, await openStoredNumbers(group, type, cx.options), cx.options);
}

/** Opens a `FragmentsDir`. The names in the store take precedence, because the names in the object may be older. */
export async function openFragmentsDir(object: Group, cx: ObjectContext): Promise<Group> {
  return fragmentsOf((await openReferred(object, "dir", "directory", cx)).root);
}

export async function openFragmentsH5(object: Group, cx: ObjectContext): Promise<Group> {
  return fragmentsOf(await storeIn(object, cx));
}

function fragmentsOf(group: Group): Group {
  if (/^(un)?packed-fragments-/.test(storeVersion(group) ?? "")) return group;
  throw new InvalidDataError(`no fragments: the version is ${JSON.stringify(storeVersion(group))}`, {
    element: group.path,
  });
}

/**
 * Opens a matrix with the form of `object` and the entries of `base`.
 * @throws {InvalidDataError} if the type of the store's values differs from the object's.
 */
async function matrixOf(object: Group, base: MatrixBase, options: ReadOptions): Promise<Group> {
  const type = await readTextSlot(object, "type", options);
  const found = /^(?:un)?packed-([a-z]+)-/.exec(base.version)?.[1] ?? "";
  if (type.replace(/32_t$/, "") !== found) {
    throw new InvalidDataError(`the object's values are ${type}, the values of its data ${found}`, {
      element: object.path,
    });
  }
  return ObjectMatrix.of(object, base, options);
}

async function storeIn(object: Group, cx: ObjectContext): Promise<Group> {
  const { root } = await openReferred(object, "path", "hdf5", cx);
  const group = await groupIn(root, await readTextSlot(object, "group", cx.options), cx.options);
  if (storeVersion(group) !== null) return group;
  throw new InvalidDataError(`no store of BPCells at ${JSON.stringify(group.path)}`, { element: object.path });
}

async function openReferred(
  object: Group,
  slot: string,
  kind: Container["kind"],
  { follow, options }: ObjectContext,
): Promise<Container> {
  const path = await readTextSlot(object, slot, options);
  const container = await runWithLocation({ element: object.path }, () => follow(path)).catch((error: unknown) => {
    throw isAnnarrowError(error) ? error.locate({ element: object.path }) : error;
  });
  if (container.kind === kind) return container;
  throw new InvalidDataError(`${JSON.stringify(path)} is ${container.kind}, ${kind} is expected`, {
    element: object.path,
  });
}

async function groupIn(root: Group, path: string, options: ReadOptions): Promise<Group> {
  let group = root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const node = await group.open(name, options);
    if (node.kind === "array") throw new UnsupportedError("a dense matrix of an R object", { element: node.path });
    group = node;
  }
  return group;
}

const VALUES = new Map([
  ["uint32_t", { name: "uint", type: UINT32 }],
  ["float", { name: "float", type: FLOAT32 }],
  ["double", { name: "double", type: FLOAT64 }],
] as const);

/**
 * Opens AnnData's sparse matrix (`data`, `indices`, `indptr`) with BPCells' value type. Reading a value that this type
 * cannot represent exactly is an error.
 * @throws {UnsupportedError} for a group that is not a sparse matrix.
 */
async function openStoredNumbers(group: Group, type: string, options: ReadOptions): Promise<MatrixBase> {
  const values = [...VALUES].find(([name]) => name === type)?.[1];
  if (values === undefined) throw new UnsupportedError(`values of the type ${JSON.stringify(type)}`);
  const byRow = isByRow(group);
  const [rows, columns] = shapeOf(group);
  const [outer, inner] = byRow ? [rows, columns] : [columns, rows];
  const indptr = convertArray(await openArraySlot(group, "indptr", options), UINT64);
  const nnz = getLength(await openArraySlot(group, "indices", options));
  const indices = convertArray(await openArraySlot(group, "indices", options), UINT32);
  const data = convertArray(await openArraySlot(group, "data", options), values.type);
  if (getLength(indptr) !== outer + 1 || getLength(data) !== nnz) {
    const found = `${getLength(indptr)} pointers, ${nnz} indices and ${getLength(data)} values`;
    throw new InvalidDataError(`${found} of a matrix with ${outer} slices`, { element: group.path });
  }
  return {
    version: `unpacked-${values.name}-matrix-v2`,
    inner,
    outer,
    open: createArrayOpener({ indptr, indices, data }),
    slices: () => createStoredLists({ shape: [inner, outer], order: "column", nnz, data, indices, indptr }),
  };
}

function isByRow(group: Group): boolean {
  const encoding = String(group.attributes.get("encoding-type") ?? group.attributes.get("h5sparse_format"));
  if (/^csr(_matrix)?$/.test(encoding)) return true;
  if (/^csc(_matrix)?$/.test(encoding)) return false;
  throw new UnsupportedError(`no sparse matrix of AnnData: its encoding is ${encoding}`, { element: group.path });
}

function shapeOf(group: Group): readonly [number, number] {
  const value = group.attributes.get("shape") ?? group.attributes.get("h5sparse_shape");
  const sizes = Array.isArray(value) ? value.map(Number) : [];
  if (sizes.length === 2 && sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return [sizes[0], sizes[1]];
  throw new InvalidDataError(`the shape is ${JSON.stringify(value)}`, { element: group.path });
}
