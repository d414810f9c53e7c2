/** Draws genes by groups of cells: as dots sized by the nonzero fraction, or as coloured cells. */

import { Plot, plotSvg } from "../figure/plot.js";
import { briefNumber } from "../table/column-head.js";
import type { MatrixState } from "./matrix-state.js";

export interface MatrixPoint {
  readonly gene: string;
  readonly group: string;
  readonly mean: number;
  readonly share: number;
  /** Value shown as colour: the mean, or the scaled mean. */
  readonly colour: number;
}

export interface MatrixDrawing {
  readonly points: readonly MatrixPoint[];
  readonly genes: readonly string[];
  readonly groups: readonly string[];
  readonly form: MatrixState["form"];
  readonly isScaled: boolean;
  readonly matrix: string;
}

const CELL = 26;
const LEGEND = 120;
const CHARACTER = 6.9;
const SVG = "http://www.w3.org/2000/svg";

export function drawMatrix(
  { points, genes, groups, form, isScaled, matrix }: MatrixDrawing,
  most: number,
): SVGSVGElement {
  const marginLeft = Math.min(Math.max(...groups.map((group) => group.length), 4) * CHARACTER + 16, 260);
  const marginBottom = Math.min(Math.max(...genes.map((gene) => gene.length), 4) * CHARACTER * 0.8 + 24, 160);
  const plotWidth = Math.min(marginLeft + genes.length * CELL + 16, Math.max(most - LEGEND, 200));
  const plotHeight = 12 + groups.length * CELL + marginBottom;
  const known = points.filter(({ colour }) => !Number.isNaN(colour));
  const highest = isScaled ? 1 : Math.max(...known.map(({ colour }) => colour), 0);
  const lowest = isScaled ? 0 : Math.min(...known.map(({ colour }) => colour), 0);
  const title = ({ gene, group, mean, share }: MatrixPoint) =>
    `${gene} in ${group}\nmean ${briefNumber(mean)}\nnot zero ${(100 * share).toFixed(1)} %`;
  const place = { x: "gene", y: "group", title } as const;
  const radius = Math.min(CELL, (plotWidth - marginLeft - 16) / genes.length) / 2 - 1.5;
  // Cells of a heatmap touch; dots need distances.
  const padding = form === "heat" ? 0.06 : 0.5;
  const plot = plotSvg({
    ...{ width: plotWidth, height: plotHeight, marginLeft, marginBottom, marginTop: 12, marginRight: 16 },
    x: { domain: [...genes], label: null, tickRotate: -45, tickSize: 3, padding },
    y: { domain: [...groups], label: null, tickSize: 3, padding },
    color: { scheme: "viridis", domain: [lowest, highest === lowest ? lowest + 1 : highest] },
    r: { domain: [0, 1], range: [0, Math.max(radius, 1)] },
    marks: [
      form === "heat"
        ? Plot.cell(known, { ...place, fill: "colour" })
        : Plot.dot(known, { ...place, fill: "colour", r: "share", stroke: "var(--quiet)", strokeWidth: 0.6 }),
    ],
  });
  const outer = document.createElementNS(SVG, "svg");
  const height = Math.max(plotHeight, 190);
  const width = plotWidth + LEGEND;
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
    outer.setAttribute(name, String(value));
  }
  outer.setAttribute("class", "plot");
  const legend = document.createElementNS(SVG, "g");
  legend.setAttribute("transform", `translate(${plotWidth + 8} 14)`);
  legend.append(...colourLegend(lowest, highest, `${isScaled ? "mean, 0 to 1" : "mean"} of ${matrix}`));
  if (form === "dots") legend.append(...sizeLegend(Math.max(radius, 1)));
  outer.append(plot, legend);
  return outer;
}

/** Number of steps of the colour scale. A gradient would need an id that is unique in the page. */
const STEPS = 40;

function colourLegend(lowest: number, highest: number, label: string): SVGElement[] {
  const scale = Plot.scale({ color: { scheme: "viridis", domain: [0, 1] } });
  const width = 96 / STEPS;
  const rects = Array.from({ length: STEPS }, (_, step) =>
    element("rect", {
      ...{ x: step * width, y: 8, width: width + 0.3, height: 10 },
      fill: String(scale.apply(step / (STEPS - 1))),
    }),
  );
  return [text(label, 0, 0), ...rects, text(briefNumber(lowest), 0, 32), text(briefNumber(highest), 96, 32, "end")];
}

function sizeLegend(radius: number): SVGElement[] {
  return [
    text("not zero", 0, 66),
    ...[0.25, 0.5, 0.75, 1].flatMap((share, index) => [
      element("circle", {
        ...{ cx: 12 + index * 26, cy: 86, r: radius * Math.sqrt(share) },
        ...{ fill: "currentColor", "fill-opacity": 0.35, stroke: "currentColor", "stroke-width": 0.6 },
      }),
      text(`${100 * share}`, 12 + index * 26, 114, "middle"),
    ]),
    text("% of cells", 0, 130),
  ];
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (!(made instanceof SVGElement)) throw new TypeError(`${name} is no element of SVG`);
  return made;
}

function text(content: string, x: number, y: number, anchor = "start"): SVGElement {
  const made = element("text", { x, y, fill: "currentColor", "text-anchor": anchor });
  made.textContent = content;
  return made;
}
