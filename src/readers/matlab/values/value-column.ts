/** A value as one column: what every kind of value that can be one gives. */

import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { product } from "../../../model/stored.js";

/** One column, of a table of its own or of several. */
export interface ValueColumn {
  readonly plan: ColumnPlan;
  readonly nullable: boolean;
  readonly rows: number;
  /** Of the array, in MATLAB's order; where an object holds it, not that of the object. */
  readonly size: readonly number[];
  readonly kind: string;
  /** What the values do not say. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Vectors have one row for each element, but 1 x n in a frame is a row; others have one for each row. */
export function rowShape(size: readonly number[], inFrame: boolean): readonly number[] {
  const isVector = size.length === 2 && (size[1] === 1 || (size[0] === 1 && !inFrame));
  return isVector ? [product(size)] : size.length === 0 ? [1] : size;
}
