/** Limits on values that a file declares but does not store. */

import { findSparsePart } from "../jobs/plan/matrix-plan.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import type { UnwrittenLimit } from "../jobs/rows/task.js";
import { countElements } from "../model/stored.js";
import { getElementAxes } from "./axes.js";

/**
 * Maximum bytes of values that a conversion writes although the file only declares them without storing them. Does not
 * apply if losses are allowed.
 */
export const MAX_UNWRITTEN_BYTES = 2 ** 28;

/**
 * Maximum number of values in a dense element without any stored value: 9 million cells of 30,000 genes. Layers of only
 * zeros are written, and no real layer is larger. Writing a terabyte of zeros would take hours.
 */
const MAX_DECLARED = 2 ** 38;

/**
 * Returns the limit on a table's unstored values. Files often leave out columns of zeros, so only row names, indices of
 * sparse matrices, elements without an axis, and elements with more than `MAX_DECLARED` values are limited. The indices
 * of a matrix with a single position are zeros, too.
 * @param most maximum bytes of values that are declared but not stored; null for no limit.
 */
export function getUnwrittenLimit(
  { name, fields, metadata, plan }: TablePlan,
  most: number | null,
): UnwrittenLimit | null {
  if (most === null) return null;
  const sparse = findSparsePart(plan);
  if (sparse !== null) {
    const { shape, order } = sparse.matrix;
    return shape[order === "row" ? 1 : 0] > 1 ? { most, fields: [] } : null;
  }
  const own = name.replace(/^mod\/[^/]+\//, "");
  const [axis] = getElementAxes(own);
  if (countElements(metadata.shape ?? []) > MAX_DECLARED) return { most, fields: fields.map((_, i) => i) };
  if (own === "matrix" || (axis !== null && axis !== own)) return null;
  const index = fields.findIndex((field) => field.name === metadata.index);
  return { most, fields: index < 0 ? fields.map((_, i) => i) : [index] };
}
