/** Plans for parts of a table. Loaded on first use, because most first reads need no parts. */

import { createPandasMetadata } from "../arrow/pandas.js";
import type { ReadOptions } from "../io/sources/source.js";
import { hasFragments, selectCellFragments } from "../jobs/fragments/select.js";
import { type AxisPositions, createPartPlan } from "../jobs/plan/part-plan.js";
import type { TablePlan } from "../jobs/plan/plan.js";

export { selectFragments } from "../jobs/fragments/select.js";
export { withNumbers } from "../jobs/plan/part-plan.js";
export { dropUnusedCategories } from "../jobs/plan/used-categories.js";
export { splitPlan } from "../jobs/reorder/split-plan.js";

/**
 * Selects rows and columns of an element by their positions; null selects all. The rows of fragments are their cells.
 */
export function selectPlanPart(
  plan: TablePlan,
  rows: AxisPositions,
  cols: AxisPositions,
  options: ReadOptions,
): TablePlan | Promise<TablePlan> {
  if (rows !== null && hasFragments(plan)) return selectCellFragments(plan, rows, options);
  return createPartPlan(plan, rows, cols, options);
}

/** Returns the plan without the columns at the given positions. A dataframe without its index column has no index. */
export function dropPlanColumns(table: TablePlan, positions: ReadonlySet<number>): TablePlan {
  const { plan, metadata } = table;
  if (plan.kind !== "columns") throw new TypeError("a table of columns expected");
  const isKept = (_: unknown, position: number) => !positions.has(position);
  const fields = table.fields.filter(isKept);
  const { index, indexColumn, ...unindexed } = metadata;
  const isIndexed = fields.some(({ name }) => name === index);
  return {
    ...table,
    fields,
    plan: { ...plan, columns: plan.columns.filter(isKept) },
    metadata: isIndexed ? metadata : unindexed,
    schemaMetadata: new Map(isIndexed ? [["pandas", createPandasMetadata(fields)]] : []),
  };
}
