/** A sparse matrix as AnnData stores it, by its arrays `data`, `indices` and `indptr`. */

import type { Group } from "../../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { storedSlices } from "../lazy/stored-slices.js";
import { converted, FLOAT32, FLOAT64, lengthOf, UINT32, UINT64 } from "../stores/typed-array.js";
import { arraysOf, type MatrixBase } from "./object-matrix.js";
import { arraySlot } from "./slots.js";

const VALUES = new Map([
  ["uint32_t", { name: "uint", type: UINT32 }],
  ["float", { name: "float", type: FLOAT32 }],
  ["double", { name: "double", type: FLOAT64 }],
] as const);

/**
 * The entries of the group, in BPCells' type of values. What does not fit exactly is an error when it is read.
 * @throws {UnsupportedError} where the group is no sparse matrix.
 */
export async function openStoredNumbers(group: Group, type: string, options: ReadOptions): Promise<MatrixBase> {
  const values = [...VALUES].find(([name]) => name === type)?.[1];
  if (values === undefined) throw new UnsupportedError(`values of the type ${JSON.stringify(type)}`);
  const byRow = isByRow(group);
  const [rows, columns] = shapeOf(group);
  const [outer, inner] = byRow ? [rows, columns] : [columns, rows];
  const indptr = converted(await arraySlot(group, "indptr", options), UINT64);
  const nnz = lengthOf(await arraySlot(group, "indices", options));
  const indices = converted(await arraySlot(group, "indices", options), UINT32);
  const data = converted(await arraySlot(group, "data", options), values.type);
  if (lengthOf(indptr) !== outer + 1 || lengthOf(data) !== nnz) {
    const found = `${lengthOf(indptr)} pointers, ${nnz} indices and ${lengthOf(data)} values`;
    throw new InvalidDataError(`${found} of a matrix with ${outer} slices`, { element: group.path });
  }
  return {
    version: `unpacked-${values.name}-matrix-v2`,
    inner,
    outer,
    open: arraysOf({ indptr, indices, data }),
    slices: () => storedSlices({ shape: [inner, outer], order: "column", nnz, data, indices, indptr }),
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
