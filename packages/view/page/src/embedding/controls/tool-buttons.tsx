/** Buttons for move, lasso and rectangle, zoom, and the whole plot. */

import type { StepMode } from "../../selection/selection-steps.js";
import type { Tool } from "../canvas/gestures.js";
import { WHOLE, zoomed } from "../layer/camera.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";

const TOOLS: readonly { tool: Tool; label: string; path: string }[] = [
  { tool: "move", label: "Move and zoom", path: "M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6L2 8l2 2M12 6l2 2-2 2" },
  {
    tool: "lasso",
    label: "Select by lasso (Shift adds, Alt removes)",
    path: "M5 11C2.5 10 1.5 8.5 2 6.5 2.7 3.8 6 2 9.5 2.5S14.8 6 14 8.5 10 12 7 11.5c-1-.2-2 .3-2 1.2S6 14 5 15",
  },
  { tool: "rectangle", label: "Select by rectangle (Shift adds, Alt removes)", path: "M2.5 3.5h11v9h-11z" },
];

const MODES: readonly (readonly [StepMode, string])[] = [
  ["within", "keep"],
  ["add", "add"],
  ["remove", "remove"],
];

interface ToolButtonsProps {
  readonly plot: EmbeddingPlot;
  readonly tool: Tool;
  readonly setTool: (tool: Tool) => void;
}

export function ToolButtons({ plot, tool, setTool }: ToolButtonsProps) {
  const zoom = (factor: number) => {
    const { width, height } = plot.size.value;
    plot.camera.value = zoomed(plot.camera.value, { left: 0, top: 0, width, height }, factor, width / 2, height / 2);
  };
  return (
    <>
      <fieldset class="tools" aria-label="Tool">
        {TOOLS.map(({ tool: one, label, path }) => (
          <button
            key={one}
            type="button"
            class="quiet"
            aria-pressed={tool === one}
            aria-label={label}
            title={label}
            onClick={() => setTool(one)}
          >
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d={path} />
            </svg>
          </button>
        ))}
      </fieldset>
      {tool !== "move" && (
        <select
          aria-label="How a lasso joins the selection"
          value={plot.mode.value}
          onChange={(event) => {
            const found = MODES.find(([mode]) => mode === event.currentTarget.value);
            if (found !== undefined) plot.mode.value = found[0];
          }}
        >
          {MODES.map(([mode, word]) => (
            <option key={mode} value={mode}>
              {word}
            </option>
          ))}
        </select>
      )}
      <fieldset class="tools" aria-label="Zoom">
        <button type="button" class="quiet" aria-label="Zoom out" title="Zoom out" onClick={() => zoom(1 / 1.5)}>
          −
        </button>
        <button type="button" class="quiet" aria-label="Zoom in" title="Zoom in" onClick={() => zoom(1.5)}>
          +
        </button>
        <button
          type="button"
          class="quiet"
          title="Show all"
          onClick={() => {
            plot.camera.value = WHOLE;
          }}
        >
          Fit
        </button>
      </fieldset>
    </>
  );
}
