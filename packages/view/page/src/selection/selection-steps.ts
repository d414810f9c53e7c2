/** Selection steps in a link. Links may come from anyone, so every part is validated. */

import * as v from "valibot";
import { MOST_CORNERS } from "./polygon.js";

const MODE = v.picklist(["within", "add", "remove"]);
const NAME = v.pipe(v.string(), v.maxLength(10_000));
const FINITE = v.pipe(v.number(), v.finite());

const STEP = v.variant("by", [
  /** Cells inside a polygon: x0, y0, x1, y1, … in two coordinates of a table (see `coordinateOf`). */
  v.strictObject({
    by: v.literal("lasso"),
    mode: MODE,
    table: NAME,
    columns: v.tuple([NAME, NAME]),
    polygon: v.pipe(
      v.array(FINITE),
      v.minLength(6),
      v.maxLength(2 * MOST_CORNERS),
      v.check((corners) => corners.length % 2 === 0),
    ),
  }),
  /** Cells with one of several values in a column of `obs`; null means the missing value. */
  v.strictObject({
    by: v.literal("values"),
    mode: MODE,
    column: NAME,
    values: v.pipe(v.array(v.nullable(NAME)), v.maxLength(10_000)),
  }),
  /** Cells whose number in a column of `obs` is in a range, including its ends. */
  v.strictObject({ by: v.literal("range"), mode: MODE, column: NAME, range: v.tuple([FINITE, FINITE]) }),
  /** Cells that match an SQL condition on the columns of `obs`. */
  v.strictObject({ by: v.literal("filter"), mode: MODE, filter: NAME }),
  v.strictObject({ by: v.literal("invert") }),
]);

const STEPS = v.pipe(v.array(STEP), v.maxLength(1000));
const GENES = v.nullable(v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.maxLength(100_000)));

export type SelectionStep = v.InferOutput<typeof STEP>;

/** Combination of a step's cells with the previous selection. */
export type StepMode = v.InferOutput<typeof MODE>;

/** Validates the steps of a link; null if they are invalid. */
export function checkSteps(value: unknown): readonly SelectionStep[] | null {
  const checked = v.safeParse(STEPS, value);
  return checked.success ? checked.output : null;
}

/** Validates gene positions of a link; null if they are invalid, and for all genes. */
export function checkGenes(value: unknown): readonly number[] | null {
  const checked = v.safeParse(GENES, value);
  return checked.success ? checked.output : null;
}
