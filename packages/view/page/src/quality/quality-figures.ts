/** Draws columns of `obs`. */

import { Plot, plotSvg } from "../figure/plot.js";
import { briefNumber } from "../table/column-head.js";
import type { ColumnCounts } from "./column-counts.js";
import type { Box } from "./quartiles.js";

const HEIGHT = 190;
const MARGINS = { marginLeft: 52, marginRight: 12, marginTop: 10, marginBottom: 28 } as const;
/** Colours of all cells and of the selected cells. */
const ALL = "var(--bar)";
const SELECTED = "var(--bar-chosen)";

/** Conversion between pixels of a figure and numbers. */
export interface NumberAxis {
  numberAt(x: number): number;
  placeOf(value: number): number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function drawHistogram(
  { bins, all, selected }: ColumnCounts & { kind: "numbers" },
  width: number,
): { readonly svg: SVGSVGElement; readonly axis: NumberAxis } {
  const step = (bins.high - bins.low) / bins.bins;
  const bars = (counts: readonly number[]) =>
    counts.map((count, index) => ({ x1: bins.low + index * step, x2: bins.low + (index + 1) * step, count }));
  const title = ({ x1, x2, count }: { x1: number; x2: number; count: number }) =>
    `${briefNumber(x1)} to ${briefNumber(x2)}: ${count.toLocaleString("en")} cells`;
  const domain = [bins.low, bins.high];
  const svg = plotSvg({
    ...{ width, height: HEIGHT, ...MARGINS },
    x: { domain, label: null },
    y: { label: null, grid: true, ticks: 4, tickFormat: "~s" },
    marks: [
      Plot.rectY(bars(all), { x1: "x1", x2: "x2", y: "count", fill: ALL, title, inset: 0.3 }),
      ...(selected === null
        ? []
        : [Plot.rectY(bars(selected), { x1: "x1", x2: "x2", y: "count", fill: SELECTED, title, inset: 0.3 })]),
      Plot.ruleY([0], { stroke: "var(--quiet)" }),
    ],
  });
  const [left, right] = [MARGINS.marginLeft, width - MARGINS.marginRight];
  const range = bins.high - bins.low;
  return {
    svg,
    axis: {
      ...{ left, right, top: MARGINS.marginTop, bottom: HEIGHT - MARGINS.marginBottom },
      numberAt: (x) => bins.low + (range * (Math.min(Math.max(x, left), right) - left)) / (right - left),
      placeOf: (value) => left + ((value - bins.low) / range) * (right - left),
    },
  };
}

/** Pixels of a category. */
export const BAR = 21;

export function drawCategories(
  { labels, all, selected }: ColumnCounts & { kind: "categories" },
  colours: ReadonlyMap<string, string> | null,
  width: number,
): SVGSVGElement {
  const names = labels.map((label) => label ?? "null");
  const longest = Math.max(...names.map((name) => name.length), 1);
  const marginLeft = Math.min(longest * 6.9 + 16, width * 0.45);
  const rows = names.map((name, index) => ({
    ...{ name, all: all[index], selected: selected?.[index] ?? all[index] },
    colour: colours?.get(name) ?? SELECTED,
  }));
  const words = (row: (typeof rows)[number]) =>
    selected === null
      ? row.all.toLocaleString("en")
      : `${row.selected.toLocaleString("en")} of ${row.all.toLocaleString("en")}`;
  return plotSvg({
    ...{ width, height: 8 + BAR * names.length, marginLeft, marginRight: 78, marginTop: 4, marginBottom: 4 },
    x: { axis: null },
    y: {
      domain: names,
      label: null,
      tickSize: 0,
      padding: 0.18,
      tickFormat: (name: string) => clipped(name, marginLeft),
    },
    marks: [
      Plot.barX(rows, {
        x: "all",
        y: "name",
        fill: selected === null ? "colour" : ALL,
        fillOpacity: selected === null ? 0.9 : 0.45,
      }),
      ...(selected === null ? [] : [Plot.barX(rows, { x: "selected", y: "name", fill: "colour" })]),
      Plot.text(rows, { x: "all", y: "name", text: words, textAnchor: "start", dx: 5, fill: "var(--quiet)" }),
    ],
  });
}

function clipped(name: string, room: number): string {
  const most = Math.floor((room - 12) / 6.9);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

export function drawBoxes(
  boxes: readonly Box[],
  colours: ReadonlyMap<string, string> | null,
  width: number,
): SVGSVGElement {
  const names = boxes.map(({ group }) => group);
  const longest = Math.max(...names.map((name) => name.length), 1);
  const marginLeft = Math.min(longest * 6.9 + 16, width * 0.45);
  const data = boxes.map((box) => ({ ...box, colour: colours?.get(box.group) ?? ALL }));
  const title = ({ group, count, least, lower, median, upper, greatest }: Box) =>
    `${group}: ${count.toLocaleString("en")} cells\nmedian ${briefNumber(median)}, quartiles ${briefNumber(lower)} and ${briefNumber(upper)}\n${briefNumber(least)} to ${briefNumber(greatest)}`;
  return plotSvg({
    ...{ width, height: 40 + BAR * names.length, marginLeft, marginRight: 14, marginTop: 6, marginBottom: 28 },
    x: { label: null, grid: true, ticks: 5 },
    y: {
      domain: names,
      label: null,
      tickSize: 0,
      padding: 0.25,
      tickFormat: (name: string) => clipped(name, marginLeft),
    },
    marks: [
      Plot.link(data, { x1: "least", x2: "greatest", y: "group", stroke: "var(--quiet)" }),
      Plot.barX(data, { x1: "lower", x2: "upper", y: "group", fill: "colour", title }),
      Plot.tickX(data, { x: "median", y: "group", stroke: "var(--text)", strokeWidth: 2 }),
    ],
  });
}
