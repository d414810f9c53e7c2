/** Splits the matrix of a plan along an axis by whose positions it is not stored, so that it is read once for all parts. */

import { rowBytesOf } from "../../containers/picked/copied-array.js";
import { SplitColumns } from "../../containers/picked/split-columns.js";
import { groupArrays } from "../../containers/picked/split-lists.js";
import { groupMap } from "../../kernels/sparse/split-lists.js";
import { located } from "../../model/errors.js";
import { decodedSize, type StoredType } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import { denseMatrix, MAX_MINOR, partShape, sparsePart, sparseRows } from "../plan/matrix-plan.js";
import { mapArrays, type RowsPlan, type SparsePlan, type TablePlan } from "../plan/plan.js";
import type { CopyStorage } from "./copy-storage.js";
import { splitMatrix } from "./split-columns.js";
import { type SparseLists, splitLists } from "./split-lists.js";

/** All positions of an axis, group by group. Within a group they rise. */
export interface PositionGroups {
  readonly positions: Int32Array;
  /** The number of positions up to and with each group. */
  readonly ends: Int32Array;
}

/** An axis of an element that is split: its first or its second one. */
export interface SplitAxis extends PositionGroups {
  readonly place: 0 | 1;
}

/** The copies of a matrix. */
export interface MatrixSplit {
  /** Reads the part of the matrix with the positions of a group, which is `table`, from the copies. */
  partOf(table: TablePlan, group: number): TablePlan;
}

/**
 * Copies the matrix of a table group by group.
 * @returns null for a table that has no such matrix, and for a matrix whose parts along this axis are read by themselves.
 * @throws {InvalidDataError} where the matrix is broken.
 */
export async function splitPlan(
  { plan, text }: TablePlan,
  axis: SplitAxis,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<MatrixSplit | null> {
  const sparse = sparsePart(plan);
  if (sparse !== null) return splitSparse({ ...sparse, text }, axis, storage, options);
  const array = denseMatrix(plan);
  const isSelected = plan.kind === "nonzeros" && (plan.row !== null || plan.col !== null);
  const rowBytes = array === null ? null : rowBytesOf(array);
  if (array === null || axis.place !== 1 || isSelected || rowBytes === null) return null;
  const [height = 0, width = 0] = array.shape ?? [];
  if (width !== axis.positions.length) return null;
  const own = groupMap(axis.positions, axis.ends, width);
  const split = await located({ element: array.path }, () =>
    splitMatrix(array, own, storage.of(height * rowBytes), options),
  );
  return {
    partOf: (table, group) => {
      const part = new SplitColumns(array, split, group);
      return { ...table, plan: mapArrays(table.plan, () => part) };
    },
  };
}

async function splitSparse(
  lists: SparseLists,
  { place, positions, ends }: SplitAxis,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<MatrixSplit | null> {
  const { matrix, minor } = lists;
  const { order, data, indices, indptr, nnz } = matrix;
  const shape = partShape(matrix, minor);
  const minors = order === "row" ? 1 : 0;
  if (place !== minors || shape[minors] > MAX_MINOR || shape[minors] !== positions.length) return null;
  const bytes = valueBytes(data.type);
  if (bytes === null) return null;
  const majors = shape[1 - minors];
  const size = minor === undefined ? nnz * (4 + bytes) + 4 * majors * ends.length : null;
  const own = storage.of(size);
  const blocks = await splitLists(lists, groupMap(positions, ends, shape[minors]), own, options);
  return {
    partOf: (table, group) => {
      const arrays = groupArrays({ data, indices, indptr }, own, blocks, group);
      const width = ends[group] - (group === 0 ? 0 : ends[group - 1]);
      const part: SparsePlan = { ...arrays, order, shape: order === "row" ? [majors, width] : [width, majors] };
      return { ...table, ...sparseRows(part, layoutOf(table.plan)) };
    },
  };
}

/** Bytes of a number, which copies have as they are stored; null for other values. */
function valueBytes(type: StoredType): number | null {
  switch (type.kind) {
    case "bool":
    case "int":
    case "float":
      return decodedSize(type);
    default:
      return null;
  }
}

function layoutOf({ kind }: RowsPlan): "list" | "dense" | "coordinate" {
  return kind === "entries" ? "list" : kind === "dense-rows" ? "dense" : "coordinate";
}
