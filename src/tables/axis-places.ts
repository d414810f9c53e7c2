/** The axes of a stored table by the keys of `where`. */

import { denseMatrix, partShape, sparsePart } from "../jobs/plan/matrix-plan.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import { axesOf } from "./axes.js";

/** Whether `where` calls the first axis of a table `row`. Tables along the variables alone have one axis, `col`. */
export function isByRows({ name, axis, plan }: TablePlan): boolean {
  const isTable = plan.kind === "columns" || plan.kind === "matrix-columns";
  const [, second] = axesOf(name.replace(/^mod\/[^/]+\//, ""));
  return !(isTable && axis === "col" && second === null);
}

/** The number of columns of a matrix whose first axis is called `row`; null for other tables. */
export function columnsOf(table: TablePlan): number | null {
  if (!isByRows(table)) return null;
  const sparse = sparsePart(table.plan);
  if (sparse !== null) return partShape(sparse.matrix, sparse.minor)[1];
  return denseMatrix(table.plan)?.shape?.[1] ?? null;
}
