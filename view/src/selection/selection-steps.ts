/** The steps of a selection, as a link carries them. A link comes from anybody, so each part of it is checked. */

import * as v from "valibot";
import { MOST_CORNERS } from "./polygon.js";

const MODE = v.picklist(["within", "add", "remove"]);
const NAME = v.pipe(v.string(), v.maxLength(10_000));
const FINITE = v.pipe(v.number(), v.finite());

const STEP = v.variant("by", [
  /** Cells inside a polygon: x0, y0, x1, y1, … in two coordinates of a table, named as `coordinateOf` reads them. */
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
  /** Cells with one of some values of a column of `obs`; null is the missing value. */
  v.strictObject({
    by: v.literal("values"),
    mode: MODE,
    column: NAME,
    values: v.pipe(v.array(v.nullable(NAME)), v.maxLength(10_000)),
  }),
  /** Cells whose number in a column of `obs` lies in a range, its ends included. */
  v.strictObject({ by: v.literal("range"), mode: MODE, column: NAME, range: v.tuple([FINITE, FINITE]) }),
  /** Cells that meet a condition in SQL over the columns of `obs`. */
  v.strictObject({ by: v.literal("filter"), mode: MODE, filter: NAME }),
  v.strictObject({ by: v.literal("invert") }),
]);

const STEPS = v.pipe(v.array(STEP), v.maxLength(1000));
const GENES = v.nullable(v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.maxLength(100_000)));

export type SelectionStep = v.InferOutput<typeof STEP>;

/** How the cells of a step join those that are selected before. */
export type StepMode = v.InferOutput<typeof MODE>;

/** Steps of a link; null for what are none. */
export function checkSteps(value: unknown): readonly SelectionStep[] | null {
  const checked = v.safeParse(STEPS, value);
  return checked.success ? checked.output : null;
}

/** Positions of genes of a link; null for what are none, and for all genes. */
export function checkGenes(value: unknown): readonly number[] | null {
  const checked = v.safeParse(GENES, value);
  return checked.success ? checked.output : null;
}
