/** Positions of the plot's panels. */

import type { Box } from "../layer/camera.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { panelBoxes } from "../plot/split-panels.js";

export const NO_BOX: Box = { left: 0, top: 0, width: 1, height: 1 };

/** The boxes of the panels: the whole canvas where it is not split. */
export function boxesOf(plot: EmbeddingPlot): readonly Box[] {
  const { width, height } = plot.size.value;
  const groups = plot.groups.value;
  if (groups === null) return [{ left: 0, top: 0, width: Math.max(width, 1), height: Math.max(height, 1) }];
  return panelBoxes(groups.groups.length, width, height);
}

export function nearestBox(boxes: readonly Box[], x: number, y: number): Box {
  const away = ({ left, top, width, height }: Box) =>
    Math.max(left - x, x - left - width, 0) + Math.max(top - y, y - top - height, 0);
  return boxes.reduce((best, box) => (away(box) < away(best) ? box : best), boxes[0] ?? NO_BOX);
}
