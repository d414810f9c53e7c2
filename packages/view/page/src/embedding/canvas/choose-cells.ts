/** Converts an outline on the screen to a selection step. */

import { simplified } from "../../selection/polygon.js";
import type { StepMode } from "../../selection/selection-steps.js";
import { type Box, fromSquare, placeAt } from "../layer/camera.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";

/** Pixels by which an outline may be moved when it is simplified. */
const TOLERANCE = 0.4;

/** Selects the cells within an outline in pixels. Shift adds, Alt removes; otherwise the tool's mode applies. */
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
    // A link contains 32-bit numbers exactly and briefly.
    polygon.push(Math.fround(fromSquare(places.frame, 0, x)), Math.fround(fromSquare(places.frame, 1, y)));
  }
  const mode: StepMode = keys.remove ? "remove" : keys.add ? "add" : plot.mode.value;
  plot.opened.selection.add({ by: "lasso", mode, table: chosen.table, columns: [...chosen.axes], polygon });
}
