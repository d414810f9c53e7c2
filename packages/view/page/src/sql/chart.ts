/** A simple chart of an answer, chosen by its columns. */

import type { Vector } from "apache-arrow";
import { cellText } from "../table/cell-text.js";
import type { GridColumn } from "../table/column-kind.js";

export const CHARTS = ["bar", "line", "scatter", "histogram"] as const;
export type Chart = (typeof CHARTS)[number];

export interface ChartChoice {
  readonly chart: Chart;
  readonly x: string;
  /** Null for a histogram. */
  readonly y: string | null;
}

/** Maximum number of bars that can be distinguished. */
const MOST_BARS = 60;
/** Maximum number of points drawn; longer answers are sampled at equal distances. */
const MOST_POINTS = 5000;

/** Returns the chart for the columns; null if none is numeric. `isRising` tells if a column never decreases. */
export function chartFor(
  columns: readonly Pick<GridColumn, "key" | "kind">[],
  rows: number,
  isRising: (key: string) => boolean,
): ChartChoice | null {
  const numbers = columns.filter(({ kind }) => kind === "number");
  const labels = columns.filter(({ kind }) => kind === "category" || kind === "text" || kind === "boolean");
  const times = columns.filter(({ kind }) => kind === "time");
  if (rows === 0 || numbers.length === 0) return null;
  const [one, two] = numbers;
  if (labels.length > 0 && rows <= MOST_BARS) return { chart: "bar", x: labels[0].key, y: one.key };
  if (times.length > 0) return { chart: "line", x: times[0].key, y: one.key };
  if (two !== undefined) return { chart: isRising(one.key) ? "line" : "scatter", x: one.key, y: two.key };
  return { chart: "histogram", x: one.key, y: null };
}

export interface ChartPoint {
  readonly x: number | string | null;
  readonly y: number | null;
}

/** Returns the values of a chart, up to a maximum number. */
export function chartPoints(
  { chart }: ChartChoice,
  rows: number,
  valueAt: (row: number, which: "x" | "y") => number | string | null,
): { readonly points: readonly ChartPoint[]; readonly isSample: boolean } {
  const most = chart === "bar" ? MOST_BARS : chart === "histogram" ? 200_000 : MOST_POINTS;
  const step = chart === "bar" ? 1 : Math.max(rows / most, 1);
  const points: ChartPoint[] = [];
  for (let at = 0; at < rows && points.length < most; at += step) {
    const row = Math.floor(at);
    const y = valueAt(row, "y");
    points.push({ x: valueAt(row, "x"), y: typeof y === "number" ? y : null });
  }
  return { points, isSample: points.length < rows };
}

/** Returns a chart value: numbers as numbers, other values as text. */
export function chartValue(vector: Vector, index: number, { kind, item }: Pick<GridColumn, "kind" | "item">) {
  const text = cellText(vector, index, item);
  return text === null || kind !== "number" ? text : Number(text);
}
