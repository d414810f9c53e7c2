/** The tab `embedding`: cells as points, in the coordinates of an embedding or of two columns. */

import { useMemo, useState } from "preact/hooks";
import type { TabProps } from "../state/view.js";
import type { Tool } from "./canvas/gestures.js";
import { PointCanvas } from "./canvas/point-canvas.js";
import { PlotControls } from "./controls/plot-controls.js";
import { Legend } from "./legend/legend.js";
import { EmbeddingPlot } from "./plot/embedding-plot.js";

export function EmbeddingTab({ view, opened }: TabProps) {
  const plot = useMemo(() => new EmbeddingPlot(view, opened), [view, opened]);
  const [tool, setTool] = useState<Tool>("move");
  if (plot.tables.length === 0) {
    return <p class="embedding-none">This file has no embedding: no element of obsm, and no two numbers in obs.</p>;
  }
  return (
    <div class="embedding">
      <PlotControls plot={plot} tool={tool} setTool={setTool} />
      <div class="embedding-body">
        <PointCanvas plot={plot} tool={tool} />
        <Legend plot={plot} />
      </div>
    </div>
  );
}
