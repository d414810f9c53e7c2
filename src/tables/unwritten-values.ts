/** Limits of values that a file declares and stores nowhere. */

import type { TablePlan } from "../jobs/plan/plan.js";
import type { UnwrittenLimit } from "../jobs/rows/task.js";
import { axesOf } from "./axes.js";

/**
 * Most bytes that a conversion writes of values that the file declares and stores nowhere, unless losses are allowed.
 */
export const MOST_UNWRITTEN_BYTES = 2 ** 28;

/**
 * The limit of a table's values. Files often leave out columns of zeros, so only the names of rows, and elements without
 * an axis, are limited.
 * @param most bytes of values that may be stored nowhere; null for any number.
 */
export function unwrittenOf({ name, fields, metadata }: TablePlan, most: number | null): UnwrittenLimit | null {
  const own = name.replace(/^mod\/[^/]+\//, "");
  const [axis] = axesOf(own);
  if (most === null || own === "matrix" || (axis !== null && axis !== own)) return null;
  const index = fields.findIndex((field) => field.name === metadata.index);
  return { most, fields: index < 0 ? fields.map((_, i) => i) : [index] };
}
