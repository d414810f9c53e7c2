/** Objects that refer to others, or to files: how each class is opened. */

import type { Group } from "../../../containers/tree/container.js";
import { UnsupportedError } from "../../../model/errors.js";
import type { ObjectContext } from "./context.js";

type Opener = (object: Group, className: string, cx: ObjectContext) => Promise<Group>;

/** The classes, verbatim. What they need is loaded when one is met. */
export const REFERRING: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ["MatrixDir", async (object, _, cx) => (await import("./handles.js")).matrixDir(object, cx)],
  ["MatrixH5", async (object, _, cx) => (await import("./handles.js")).matrixH5(object, cx)],
  ["AnnDataMatrixH5", async (object, _, cx) => (await import("./handles.js")).annDataMatrixH5(object, cx)],
  ["10xMatrixH5", notRead("a matrix in a file of Cell Ranger (10x)")],
  ["FragmentsDir", async (object, _, cx) => (await import("./handles.js")).fragmentsDir(object, cx)],
  ["FragmentsHDF5", async (object, _, cx) => (await import("./handles.js")).fragmentsH5(object, cx)],
  ["FragmentsTsv", fragmentsFile],
  ["Iterable_dgCMatrix_wrapper", async (object, _, cx) => (await import("./dgc-matrix.js")).dgcMatrix(object, cx)],
  ["RenameDims", async (object, _, cx) => (await import("./lazy-matrix.js")).renameDims(object, cx)],
  ["MatrixSubset", async (object, _, cx) => (await import("./lazy-matrix.js")).matrixSubset(object, cx)],
  ["ConvertMatrixType", async (object, _, cx) => (await import("./lazy-matrix.js")).convertMatrixType(object, cx)],
  ["ChrRename", async (object, _, cx) => (await import("./lazy-fragments.js")).chrRename(object, cx)],
  ["CellRename", async (object, _, cx) => (await import("./lazy-fragments.js")).cellRename(object, cx)],
  ["CellPrefix", async (object, _, cx) => (await import("./lazy-fragments.js")).cellPrefix(object, cx)],
  ["CellMerge", async (object, _, cx) => (await import("./lazy-fragments.js")).cellMerge(object, cx)],
  ["ChrSelectName", selectChromosomes],
  ["ChrSelectIndex", selectChromosomes],
  ["CellSelectName", selectCells],
  ["CellSelectIndex", selectCells],
  ["RowBindMatrices", bind],
  ["ColBindMatrices", bind],
]);

async function bind(object: Group, className: string, cx: ObjectContext): Promise<Group> {
  return (await import("./lazy-matrix.js")).bindMatrices(object, className, cx);
}

async function selectChromosomes(object: Group, className: string, cx: ObjectContext): Promise<Group> {
  return (await import("./lazy-fragments.js")).chrSelect(object, className, cx);
}

async function selectCells(object: Group, className: string, cx: ObjectContext): Promise<Group> {
  return (await import("./lazy-fragments.js")).cellSelect(object, className, cx);
}

/** What such a file holds is a matter of the format of the file, not of BPCells. */
async function fragmentsFile(object: Group, _: string, { options }: ObjectContext): Promise<never> {
  const path = await (await import("./slots.js")).textSlot(object, "path", options);
  throw new UnsupportedError(`fragments in a text file: open ${JSON.stringify(path)} itself`, { element: object.path });
}

function notRead(what: string): Opener {
  return (object) => Promise.reject(new UnsupportedError(what, { element: object.path }));
}
