/** Controls for point size and opacity, and for saving the plot. */

import { useState } from "preact/hooks";
import { wordsOf } from "../../answers/in-words.js";
import { FailureNote } from "../../answers/notes.js";
import { savePicture } from "../figure/save-picture.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { usualOpacity, usualSize } from "../plot/plot-state.js";

export function LookControls({ plot }: { readonly plot: EmbeddingPlot }) {
  const [failure, setFailure] = useState<string | null>(null);
  const { size, opacity } = plot.state.value;
  const { width, height } = plot.size.value;
  const count = plot.places.value?.xs.length ?? 0;
  const save = (format: "png" | "svg") => {
    setFailure(null);
    savePicture(plot, format).catch((error: unknown) => setFailure(wordsOf(error)));
  };
  return (
    <details class="look">
      <summary class="button">Look</summary>
      <div class="pop look-pop">
        <Slider
          label="Size"
          value={size ?? usualSize(count, width, height)}
          range={[0.5, 16, 0.1]}
          isUsual={size === null}
          onValue={(value) => plot.set({ size: value })}
        />
        <Slider
          label="Opacity"
          value={opacity ?? usualOpacity(count)}
          range={[0.02, 1, 0.01]}
          isUsual={opacity === null}
          onValue={(value) => plot.set({ opacity: value })}
        />
        <div class="tool-line">
          <button type="button" onClick={() => save("png")}>
            Save PNG
          </button>
          <button type="button" onClick={() => save("svg")}>
            Save SVG
          </button>
        </div>
        {failure !== null && <FailureNote message={failure} />}
      </div>
    </details>
  );
}

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly range: readonly [low: number, high: number, step: number];
  readonly isUsual: boolean;
  /** Called with null for the default value. */
  readonly onValue: (value: number | null) => void;
}

function Slider({ label, value, range: [low, high, step], isUsual, onValue }: SliderProps) {
  return (
    <div class="slider">
      <label>
        <span class="slider-label">{label}</span>
        <input
          type="range"
          class="slider-track"
          min={low}
          max={high}
          step={step}
          value={value}
          onInput={(event) => onValue(Number(event.currentTarget.value))}
        />
        <output>{value}</output>
      </label>
      <button type="button" class="quiet" disabled={isUsual} onClick={() => onValue(null)}>
        Auto
      </button>
    </div>
  );
}
