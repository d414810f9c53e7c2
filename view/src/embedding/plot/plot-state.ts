/** What the embedding shows, as a link carries it. A link comes from anybody, so each part of it is checked. */

import * as v from "valibot";

const NAME = v.pipe(v.string(), v.maxLength(10_000));
const SHARE = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

const COLOUR = v.variant("by", [
  v.strictObject({ by: v.literal("none") }),
  /** A column of `obs`. */
  v.strictObject({ by: v.literal("column"), column: NAME }),
  /** The mean of some genes, by their positions in a matrix. */
  v.strictObject({
    by: v.literal("genes"),
    matrix: NAME,
    genes: v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.minLength(1), v.maxLength(100)),
  }),
]);

const STATE = v.strictObject({
  /** The table of the coordinates, and their names as `coordinateOf` reads them; null for the first there is. */
  table: v.nullable(NAME),
  axes: v.nullable(v.tuple([NAME, NAME])),
  colour: v.nullable(COLOUR),
  /** Percentiles of numbers at which colours end. */
  clip: v.tuple([SHARE, SHARE]),
  /** Column of `obs` by whose categories the picture is split. */
  split: v.nullable(NAME),
  /** Diameter of a point in CSS pixels, and its opacity; null for what suits the number of points. */
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

/** The state of a link; null for what is none. */
export function checkPlot(value: unknown): PlotState | null {
  const checked = v.safeParse(STATE, value);
  return checked.success ? checked.output : null;
}

/** The camera of a link; null for what is none. */
export function checkCamera(value: unknown): v.InferOutput<typeof CAMERA> | null {
  const checked = v.safeParse(CAMERA, value);
  return checked.success ? checked.output : null;
}

/** Diameter in CSS pixels that suits a number of points on a picture of some pixels. */
export function usualSize(points: number, width: number, height: number): number {
  const shared = Math.sqrt((width * height) / Math.max(points, 1));
  return Math.min(Math.max(Math.round(shared * 5) / 10, 1), 7);
}

/** Opacity that suits a number of points. */
export const usualOpacity = (points: number): number => (points < 20_000 ? 0.9 : points < 300_000 ? 0.8 : 0.7);
