/** Limits of values that a file declares and stores nowhere. */

import { sparsePart } from "../jobs/plan/matrix-plan.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import type { UnwrittenLimit } from "../jobs/rows/task.js";
import { axesOf } from "./axes.js";

/**
 * Most bytes that a conversion writes of values that the file declares and stores nowhere, unless losses are allowed.
 */
export const MOST_UNWRITTEN_BYTES = 2 ** 28;

/**
 * The limit of a table's values. Files often leave out columns of zeros, so only the names of rows, the indices of sparse
 * matrices, and elements without an axis are limited. Indices of one position alone are zeros, too.
 * @param most bytes of values that may be stored nowhere; null for any number.
 */
export function unwrittenOf({ name, fields, metadata, plan }: TablePlan, most: number | null): UnwrittenLimit | null {
  if (most === null) return null;
  const sparse = sparsePart(plan);
  if (sparse !== null) {
    const { shape, order } = sparse.matrix;
    return shape[order === "row" ? 1 : 0] > 1 ? { most, fields: [] } : null;
  }
  const own = name.replace(/^mod\/[^/]+\//, "");
  const [axis] = axesOf(own);
  if (own === "matrix" || (axis !== null && axis !== own)) return null;
  const index = fields.findIndex((field) => field.name === metadata.index);
  return { most, fields: index < 0 ? fields.map((_, i) => i) : [index] };
}
