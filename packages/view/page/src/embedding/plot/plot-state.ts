/** State of the embedding in a link. Links may come from anyone, so every part is validated. */

import * as v from "valibot";

const NAME = v.pipe(v.string(), v.maxLength(10_000));
const SHARE = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

const COLOUR = v.variant("by", [
  v.strictObject({ by: v.literal("none") }),
  /** Colours by a column of `obs`. */
  v.strictObject({ by: v.literal("column"), column: NAME }),
  /** Colours by the mean of some genes, given as positions in a matrix. */
  v.strictObject({
    by: v.literal("genes"),
    matrix: NAME,
    genes: v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.minLength(1), v.maxLength(100)),
  }),
]);

const STATE = v.strictObject({
  /** Table of the coordinates, and their names (see `coordinateOf`); null for the first table. */
  table: v.nullable(NAME),
  axes: v.nullable(v.tuple([NAME, NAME])),
  colour: v.nullable(COLOUR),
  /** Percentiles of the numbers between which the colour scale extends. */
  clip: v.tuple([SHARE, SHARE]),
  /** Categorical column of `obs` by which the plot is split. */
  split: v.nullable(NAME),
  /** Point diameter in CSS pixels, and opacity; null for a default that depends on the number of points. */
  size: v.nullable(v.pipe(v.number(), v.minValue(0.1), v.maxValue(40))),
  opacity: v.nullable(v.pipe(v.number(), v.minValue(0.01), v.maxValue(1))),
});

const CAMERA = v.strictObject({
  x: v.pipe(v.number(), v.minValue(-4), v.maxValue(4)),
  y: v.pipe(v.number(), v.minValue(-4), v.maxValue(4)),
  zoom: v.pipe(v.number(), v.minValue(0.2), v.maxValue(20_000)),
});

export type PlotState = v.InferOutput<typeof STATE>;
export type PlotColour = v.InferOutput<typeof COLOUR>;

export const INITIAL: PlotState = {
  table: null,
  axes: null,
  colour: null,
  clip: [1, 99],
  split: null,
  size: null,
  opacity: null,
};

/** Validates the plot state of a link; null if it is invalid. */
export function checkPlot(value: unknown): PlotState | null {
  const checked = v.safeParse(STATE, value);
  return checked.success ? checked.output : null;
}

/** Validates the camera of a link; null if it is invalid. */
export function checkCamera(value: unknown): v.InferOutput<typeof CAMERA> | null {
  const checked = v.safeParse(CAMERA, value);
  return checked.success ? checked.output : null;
}

/** Returns the default point diameter in CSS pixels, for a number of points and the size of the plot. */
export function usualSize(points: number, width: number, height: number): number {
  const shared = Math.sqrt((width * height) / Math.max(points, 1));
  return Math.min(Math.max(Math.round(shared * 5) / 10, 1), 7);
}

/** Returns the default opacity for a number of points. */
export const usualOpacity = (points: number): number => (points < 20_000 ? 0.9 : points < 300_000 ? 0.8 : 0.7);
