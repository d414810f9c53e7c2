/** Saves the plot: the points as currently drawn, with titles, axes and the legend. */

import { axisNames } from "../canvas/axis-names.js";
import { boxesOf } from "../canvas/panel-boxes.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { drawFigure } from "./figure-canvas.js";
import type { Figure, Mark } from "./figure-marks.js";
import { figureSvg } from "./figure-svg.js";
import { LEGEND_WIDTH, legendMarks } from "./legend-marks.js";

export async function savePicture(plot: EmbeddingPlot, format: "png" | "svg"): Promise<void> {
  const layer = plot.layer.value;
  if (layer === null) throw new Error("There is no picture yet.");
  const points = await pointsOf(await layer.capture());
  const figure = figureOf(plot);
  const blob =
    format === "svg"
      ? new Blob([figureSvg(figure, points.toDataURL("image/png"))], { type: "image/svg+xml" })
      : await drawFigure(figure, points, plot.size.value.ratio);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${(plot.opened.name.split("/").at(-1) ?? "embedding").replace(/\.[^.]+$/, "")}-embedding.${format}`;
  link.click();
  // The browser reads the bytes only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function pointsOf(pixels: ImageData): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = pixels.width;
  canvas.height = pixels.height;
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  return canvas;
}

function figureOf(plot: EmbeddingPlot): Figure {
  const { width, height } = plot.size.value;
  const isDark = plot.isDark.value;
  const ink = isDark ? "#e3e6ea" : "#1b1e22";
  const quiet = isDark ? "#98a1ad" : "#5b636e";
  const marks: Mark[] = [];
  const groups = plot.groups.value;
  const boxes = boxesOf(plot);
  groups?.groups.forEach(({ title }, at) => {
    const box = boxes[at];
    if (box !== undefined) marks.push({ mark: "text", x: box.left + 4, y: box.top - 7, text: title, colour: ink });
  });
  if (groups === null && plot.chosen.value !== null) marks.push(...axisMarks(plot.chosen.value, height, quiet));
  const legend = legendMarks(plot, width + 12, { ink, quiet });
  return {
    width: width + LEGEND_WIDTH,
    height: Math.max(height, legend.height),
    ground: isDark ? "#15171a" : "#ffffff",
    points: { width, height },
    marks: [...marks, ...legend.marks],
  };
}

function axisMarks(
  chosen: { readonly table: string; readonly axes: readonly [string, string] },
  height: number,
  colour: string,
): Mark[] {
  const [x = "", y = ""] = axisNames(chosen);
  const bottom = height - 22;
  return [
    { mark: "line", points: [22, bottom - 42, 22, bottom, 64, bottom], colour },
    { mark: "text", x: 70, y: bottom + 4, text: x, colour },
    { mark: "text", x: 28, y: bottom - 38, text: y, colour },
  ];
}
