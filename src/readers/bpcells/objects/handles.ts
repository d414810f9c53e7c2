/** Objects of BPCells that only say where their data lie. */

import type { Container, Group } from "../../../containers/tree/container.js";
import { InvalidDataError, isAnnarrowError, located, UnsupportedError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { storeVersion } from "../stores/find-stores.js";
import { openStoredNumbers } from "./compressed-group.js";
import type { ObjectContext } from "./context.js";
import { baseOf, type MatrixBase, ObjectMatrix } from "./object-matrix.js";
import { textSlot } from "./slots.js";

/** `MatrixDir`: a directory of arrays. */
export async function matrixDir(object: Group, cx: ObjectContext): Promise<Group> {
  const { root } = await followed(object, "dir", "directory", cx);
  return matrixOf(object, await baseOf(root, cx.options), cx.options);
}

/** `MatrixH5`: a group of an HDF5 file. */
export async function matrixH5(object: Group, cx: ObjectContext): Promise<Group> {
  const group = await storeIn(object, cx);
  return matrixOf(object, await baseOf(group, cx.options, false), cx.options);
}

/** `AnnDataMatrixH5`: a sparse matrix of an .h5ad file, rows and columns exchanged. */
export async function annDataMatrixH5(object: Group, cx: ObjectContext): Promise<Group> {
  const { root } = await followed(object, "path", "hdf5", cx);
  const group = await groupIn(root, await textSlot(object, "group", cx.options), cx.options);
  const type = await textSlot(object, "type", cx.options);
  return ObjectMatrix.of(object, await openStoredNumbers(group, type, cx.options), cx.options);
}

/** `FragmentsDir` and `FragmentsHDF5`. The names in the object are those of the time of saving. */
export async function fragmentsDir(object: Group, cx: ObjectContext): Promise<Group> {
  return fragmentsOf((await followed(object, "dir", "directory", cx)).root);
}

export async function fragmentsH5(object: Group, cx: ObjectContext): Promise<Group> {
  return fragmentsOf(await storeIn(object, cx));
}

function fragmentsOf(group: Group): Group {
  if (/^(un)?packed-fragments-/.test(storeVersion(group) ?? "")) return group;
  throw new InvalidDataError(`no fragments: the version is ${JSON.stringify(storeVersion(group))}`, {
    element: group.path,
  });
}

/** @throws {InvalidDataError} where the store is not what the object was made of. */
async function matrixOf(object: Group, base: MatrixBase, options: ReadOptions): Promise<Group> {
  const type = await textSlot(object, "type", options);
  const found = /^(?:un)?packed-([a-z]+)-/.exec(base.version)?.[1] ?? "";
  if (type.replace(/32_t$/, "") !== found) {
    throw new InvalidDataError(`the object's values are ${type}, those of its data ${found}`, { element: object.path });
  }
  return ObjectMatrix.of(object, base, options);
}

async function storeIn(object: Group, cx: ObjectContext): Promise<Group> {
  const { root } = await followed(object, "path", "hdf5", cx);
  const group = await groupIn(root, await textSlot(object, "group", cx.options), cx.options);
  if (storeVersion(group) !== null) return group;
  throw new InvalidDataError(`no store of BPCells at ${JSON.stringify(group.path)}`, { element: object.path });
}

async function followed(
  object: Group,
  slot: string,
  kind: Container["kind"],
  { follow, options }: ObjectContext,
): Promise<Container> {
  const path = await textSlot(object, slot, options);
  const container = await located({ element: object.path }, () => follow(path)).catch((error: unknown) => {
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
