/** From an outline on the screen to a step of the selection. */

import { simplified } from "../../selection/polygon.js";
import type { StepMode } from "../../selection/selection-steps.js";
import { type Box, fromSquare, placeAt } from "../layer/camera.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";

/** Pixels by which an outline may be moved to have fewer corners. */
const TOLERANCE = 0.4;

/** Adds the cells within an outline of pixels: Shift adds, Alt removes, else the tool's way. */
export function chooseCells(
  plot: EmbeddingPlot,
  outline: readonly number[],
  box: Box,
  keys: { readonly add: boolean; readonly remove: boolean },
): void {
  const [chosen, places] = [plot.chosen.value, plot.places.value];
  if (chosen === null || places === null) return;
  const corners = simplified(outline, TOLERANCE);
  const polygon: number[] = [];
  for (let at = 0; at < corners.length; at += 2) {
    const [x, y] = placeAt(plot.camera.value, box, corners[at] ?? 0, corners[at + 1] ?? 0);
    // A link carries numbers of 32 bits exactly and briefly.
    polygon.push(Math.fround(fromSquare(places.frame, 0, x)), Math.fround(fromSquare(places.frame, 1, y)));
  }
  const mode: StepMode = keys.remove ? "remove" : keys.add ? "add" : plot.mode.value;
  plot.opened.selection.add({ by: "lasso", mode, table: chosen.table, columns: [...chosen.axes], polygon });
}
