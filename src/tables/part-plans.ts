/** The plans of parts of a table. Their code is loaded with the first part, since first tables do without. */

import type { AxisPositions } from "../jobs/plan/part-plan.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import type { CopyStorage } from "../jobs/reorder/copy-storage.js";
import type { ElementSplit, SplitAxis } from "../jobs/reorder/split-plan.js";
import type { FragmentSelection } from "../model/dataset.js";
import type { ReadOptions } from "../sources/source.js";

/** Rows and columns of an element by their positions; null takes all. The rows of fragments are their cells. */
export async function partOf(
  plan: TablePlan,
  rows: AxisPositions,
  cols: AxisPositions,
  options: ReadOptions,
): Promise<TablePlan> {
  const { plan: read } = plan;
  if (rows !== null && (read.kind === "fragments" || read.kind === "fragment-lines")) {
    const { fragmentsOfCells } = await import("../jobs/fragments/select.js");
    return fragmentsOfCells({ ...plan, plan: read }, rows, options);
  }
  const { partPlan } = await import("../jobs/plan/part-plan.js");
  return partPlan(plan, rows, cols, options);
}

/** An element split into groups of positions, as `splitPlan` does it. */
export async function splitOf(
  plan: TablePlan,
  axis: SplitAxis,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<ElementSplit | null> {
  const { splitPlan } = await import("../jobs/reorder/split-plan.js");
  return splitPlan(plan, axis, storage, options);
}

/** A dataframe without the categories that no row has. */
export async function withoutUnusedCategories(plan: TablePlan, options: ReadOptions) {
  const { withoutUnused } = await import("../jobs/plan/used-categories.js");
  return withoutUnused(plan, options);
}

/** A table of one column of numbers, with other numbers in its place. */
export async function numbered(plan: TablePlan, numbers: Int32Array): Promise<TablePlan> {
  const { withNumbers } = await import("../jobs/plan/part-plan.js");
  return withNumbers(plan, numbers);
}

/** Some of the fragments. */
export async function fragmentsOf(
  plan: TablePlan,
  selection: FragmentSelection,
  options: ReadOptions,
): Promise<TablePlan> {
  const { selectFragments } = await import("../jobs/fragments/select.js");
  return selectFragments(plan, selection, options);
}
