/**
 * Splits an element along the axis by which it is not stored, so that the element is read only once for all parts. The
 * element is a matrix, or fragments, which are stored by their positions on chromosomes.
 */

import { getRowBytes } from "../../containers/picked/copied-array.js";
import { SplitColumns } from "../../containers/picked/split-columns.js";
import { groupArrays } from "../../containers/picked/split-lists.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { groupMap } from "../../kernels/sparse/split-lists.js";
import { runWithLocation } from "../../model/errors.js";
import { getDecodedSize, type StoredType } from "../../model/stored.js";
import { countCells, type FragmentTablePlan, hasFragments } from "../fragments/select.js";
import { createSparseRows, findDenseMatrix, findSparsePart, getPartShape, MAX_MINOR } from "../plan/matrix-plan.js";
import { mapArrays, type RowsPlan, type SparsePlan, type TablePlan } from "../plan/plan.js";
import type { CopyStorage } from "./copy-storage.js";
import { splitMatrix } from "./split-columns.js";
import { splitFragments, WORD } from "./split-fragments.js";
import { type SparseLists, splitLists } from "./split-lists.js";

/** All positions of an axis, grouped. Positions ascend within a group. */
export interface PositionGroups {
  readonly positions: Int32Array;
  /** End of each group in `positions`: the cumulative number of positions. */
  readonly ends: Int32Array;
}

/** The axis along which an element is split, first or second, with its groups. */
export interface SplitAxis extends PositionGroups {
  readonly place: 0 | 1;
}

export interface ElementSplit {
  /**
   * Returns the plan that reads the element at a group's positions from the copies. `table` is the plan of this part.
   */
  partOf(table: TablePlan, group: number): TablePlan;
}

/**
 * Copies a table's element group by group.
 * @returns null if the element is of another kind, or is a matrix whose parts along this axis can be read separately.
 * @throws {InvalidDataError} if the element is broken.
 */
export async function splitPlan(
  whole: TablePlan,
  axis: SplitAxis,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<ElementSplit | null> {
  if (hasFragments(whole)) return splitCells(whole, axis, storage, options);
  const { plan, text } = whole;
  const sparse = findSparsePart(plan);
  if (sparse !== null) return splitSparse({ ...sparse, text }, axis, storage, options);
  const array = findDenseMatrix(plan);
  const isSelected = plan.kind === "nonzeros" && (plan.row !== null || plan.col !== null);
  const rowBytes = array === null ? null : getRowBytes(array);
  if (array === null || axis.place !== 1 || isSelected || rowBytes === null) return null;
  const [height = 0, width = 0] = array.shape ?? [];
  if (width !== axis.positions.length) return null;
  const own = groupMap(axis.positions, axis.ends, width);
  const split = await runWithLocation({ element: array.path }, () =>
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
): Promise<ElementSplit | null> {
  const { matrix, minor } = lists;
  const { order, data, indices, indptr, nnz } = matrix;
  const shape = getPartShape(matrix, minor);
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
      return { ...table, ...createSparseRows(part, layoutOf(table.plan)) };
    },
  };
}

async function splitCells(
  whole: FragmentTablePlan,
  { place, positions, ends }: SplitAxis,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<ElementSplit | null> {
  const cells = await countCells(whole, options);
  if (place !== 0 || cells !== positions.length) return null;
  const { fields, rows } = whole;
  const own = storage.of(rows === null ? null : rows * fields.length * WORD);
  const partOf = await splitFragments(whole, groupMap(positions, ends, cells), own, options);
  return { partOf: (table, group) => (hasFragments(table) ? partOf(table, group) : table) };
}

/**
 * Returns the stored size of a number in bytes, because copies keep the stored representation; null for other values.
 */
function valueBytes(type: StoredType): number | null {
  switch (type.kind) {
    case "bool":
    case "int":
    case "float":
      return getDecodedSize(type);
    default:
      return null;
  }
}

function layoutOf({ kind }: RowsPlan): "list" | "dense" | "coordinate" {
  return kind === "entries" ? "list" : kind === "dense-rows" ? "dense" : "coordinate";
}
