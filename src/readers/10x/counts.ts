/** The matrix itself: columns of features per barcode, which are rows of cells. Nothing moves. */

import type { StoredArray } from "../../containers/tree/container.js";
import { InvalidDataError, NotFoundError } from "../../model/errors.js";
import { openChild, type ReaderContext } from "../context.js";
import type { TableElement } from "../element.js";
import { inOrder } from "../in-order.js";
import { sparseOf } from "../sparse-matrix.js";
import type { MatrixGroup } from "./find-matrices.js";

/** How many barcodes and features are named; null where that cannot be told. */
export interface NamedCounts {
  readonly barcodes: number | null;
  readonly features: number | null;
}

/** The arrays of a matrix, in the order in which they are asked for. */
const PARTS = ["data", "indices", "indptr", "shape"] as const;

/** Their paths below the matrix's group. */
export const COUNTS: readonly string[] = PARTS;

/**
 * Cells x features.
 * @throws {NotFoundError} {InvalidDataError} where an array is missing, or does not fit to the others.
 */
export async function countsElement(
  { group, keys }: MatrixGroup,
  lengths: NamedCounts,
  cx: ReaderContext,
): Promise<TableElement> {
  const [data, indices, indptr, stored] = await inOrder(PARTS, async (name): Promise<StoredArray> => {
    if (!keys.includes(name)) throw new NotFoundError(`a matrix without ${name}`, { element: group.path });
    const node = await openChild(group, name, cx);
    if (node.kind === "array") return node;
    throw new InvalidDataError("a group, an array is needed", { element: node.path });
  });
  const [features, barcodes] = await shapeOf(stored, cx);
  const named = { barcodes, features };
  for (const axis of ["features", "barcodes"] as const) {
    const length = lengths[axis];
    if (length !== null && length !== named[axis]) {
      throw new InvalidDataError(`${named[axis]} ${axis}, there are names for ${length}`, { element: stored.path });
    }
  }
  const { kind } = data.type;
  if (kind !== "int" && kind !== "float" && kind !== "bool") {
    throw new InvalidDataError(`counts are stored as ${kind}, not as numbers`, { element: data.path });
  }
  return sparseOf({ kind: "csr_matrix", shape: [barcodes, features], data, indices, indptr }, group.path, {});
}

/** Features x barcodes. */
async function shapeOf(array: StoredArray, cx: ReaderContext): Promise<readonly [number, number]> {
  const { shape, type, path } = array;
  if (shape?.length !== 1 || shape[0] !== 2 || type.kind !== "int") {
    throw new InvalidDataError(`${type.kind} of shape ${JSON.stringify(shape)}, two integers are needed`, {
      element: path,
    });
  }
  const read = await cx.turns.take(() => array.read(0, 2, cx.options));
  const sizes = read.kind === "fixed" ? Array.from(read.values, Number) : [];
  if (sizes.length === 2 && sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return [sizes[0], sizes[1]];
  throw new InvalidDataError(`${JSON.stringify(sizes)} is no shape of a matrix`, { element: path });
}
