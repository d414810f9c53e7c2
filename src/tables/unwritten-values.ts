/** Limits of values that a file declares and stores nowhere. */

import { sparsePart } from "../jobs/plan/matrix-plan.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import type { UnwrittenLimit } from "../jobs/rows/task.js";
import { product } from "../model/stored.js";
import { axesOf } from "./axes.js";

/**
 * Most bytes that a conversion writes of values that the file declares and stores nowhere, unless losses are allowed.
 */
export const MOST_UNWRITTEN_BYTES = 2 ** 28;

/**
 * Most values of a dense element that may all be stored nowhere: 9 million cells of 30,000 genes. Layers of zeros alone
 * are written, and no real one has more; a terabyte of zeros takes hours.
 */
const MOST_DECLARED = 2 ** 38;

/**
 * The limit of a table's values. Files often leave out columns of zeros, so only the names of rows, the indices of sparse
 * matrices, elements without an axis, and those of more than `MOST_DECLARED` values are limited. Indices of one position
 * alone are zeros, too.
 * @param most bytes of values that may be stored nowhere; null for any number.
 */
export function getUnwrittenLimit(
  { name, fields, metadata, plan }: TablePlan,
  most: number | null,
): UnwrittenLimit | null {
  if (most === null) return null;
  const sparse = sparsePart(plan);
  if (sparse !== null) {
    const { shape, order } = sparse.matrix;
    return shape[order === "row" ? 1 : 0] > 1 ? { most, fields: [] } : null;
  }
  const own = name.replace(/^mod\/[^/]+\//, "");
  const [axis] = axesOf(own);
  if (product(metadata.shape ?? []) > MOST_DECLARED) return { most, fields: fields.map((_, i) => i) };
  if (own === "matrix" || (axis !== null && axis !== own)) return null;
  const index = fields.findIndex((field) => field.name === metadata.index);
  return { most, fields: index < 0 ? fields.map((_, i) => i) : [index] };
}
