/** Histogram of numbers in their colours. Dragging selects the cells of a range; two fields clip the colours. */

import { useRef, useState } from "preact/hooks";
import type { CellSelection } from "../../selection/cell-selection.js";
import { shortNumber } from "../../selection/step-words.js";
import { cssColour } from "../colours/category-colours.js";
import { clipped } from "../colours/number-spread.js";
import { rampColour } from "../colours/ramp.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import type { NumberColours } from "../plot/point-colours.js";

/** Width of the histogram, in its own units. */
const WIDTH = 240;
const HEIGHT = 72;

type Range = readonly [number, number];

export function NumberLegend({ plot, colours }: { readonly plot: EmbeddingPlot; readonly colours: NumberColours }) {
  const { selection } = plot.opened;
  const { low, high, missing } = colours.spread;
  const range = rangeOfLast(selection, colours.column);
  const ends = clipped(colours.spread, plot.state.value.clip);
  const keep = (chosen: Range | null) => {
    if (colours.column !== null) keepRange(selection, colours.column, chosen);
  };
  return (
    <section aria-label={`Legend: ${colours.title}`}>
      <h3>
        <bdi>{colours.title}</bdi>
      </h3>
      <Histogram colours={colours} ends={ends} range={range} onRange={colours.column === null ? null : keep} />
      <div class="ends">
        <span>{shortNumber(low)}</span>
        <span>{shortNumber(high)}</span>
      </div>
      <div class="ramp" style={{ backgroundImage: `linear-gradient(to right, ${RAMP_STOPS})` }} aria-hidden="true" />
      <div class="ends">
        <span>≤ {shortNumber(ends[0])}</span>
        <span>≥ {shortNumber(ends[1])}</span>
      </div>
      <Clip plot={plot} />
      {missing > 0 && <p class="quiet-text">{missing.toLocaleString("en")} missing</p>}
      {colours.column !== null && <RangeFields range={range ?? [low, high]} onRange={keep} isKept={range !== null} />}
    </section>
  );
}

const RAMP_STOPS = Array.from({ length: 17 }, (_, at) => cssColour(rampColour(at / 16))).join(", ");

interface HistogramProps {
  readonly colours: NumberColours;
  readonly ends: Range;
  readonly range: Range | null;
  /** Null if a range cannot be selected. */
  readonly onRange: ((range: Range | null) => void) | null;
}

function Histogram({ colours, ends, range, onRange }: HistogramProps) {
  const { low, high, bins } = colours.spread;
  const start = useRef<number | null>(null);
  const [drawn, setDrawn] = useState<Range | null>(null);
  // The bin of a gene's zeros would make all other bins invisible.
  const sorted = bins.toSorted((a, b) => b - a);
  const top = Math.max(Math.min(sorted[0] ?? 1, 4 * (sorted[1] ?? 1)), 1);
  const width = WIDTH / bins.length;
  const span = high - low || 1;
  const shown = drawn ?? range;
  const valueAt = (event: PointerEvent & { currentTarget: Element }) => {
    const { left, width: wide } = event.currentTarget.getBoundingClientRect();
    return low + span * Math.min(Math.max((event.clientX - left) / wide, 0), 1);
  };
  const end = () => {
    if (start.current === null) return;
    start.current = null;
    setDrawn(null);
    if (drawn !== null) onRange?.(drawn[1] - drawn[0] > span / 200 ? drawn : null);
  };
  return (
    <svg
      class={onRange === null ? "histogram" : "histogram can-brush"}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Histogram of ${colours.title}`}
      onPointerDown={(event) => {
        if (onRange === null) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = valueAt(event);
        setDrawn([start.current, start.current]);
      }}
      onPointerMove={(event) => {
        if (start.current === null) return;
        const value = valueAt(event);
        setDrawn([Math.min(start.current, value), Math.max(start.current, value)]);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    >
      {bins.map((count, bin) => {
        const middle = low + (span * (bin + 0.5)) / bins.length;
        const isKept = shown === null || (middle >= shown[0] && middle <= shown[1]);
        const height = count === 0 ? 0 : Math.max((Math.min(count, top) / top) * (HEIGHT - 2), 1);
        return (
          <rect
            key={bin}
            x={bin * width}
            y={HEIGHT - height}
            width={width - 0.6}
            height={height}
            fill={cssColour(rampColour((middle - ends[0]) / (ends[1] - ends[0] || 1)))}
            opacity={isKept ? 1 : 0.25}
          />
        );
      })}
      {shown !== null && (
        <rect
          class="brush"
          x={((shown[0] - low) / span) * WIDTH}
          y={0}
          width={Math.max(((shown[1] - shown[0]) / span) * WIDTH, 0.5)}
          height={HEIGHT}
        />
      )}
    </svg>
  );
}

function Clip({ plot }: { readonly plot: EmbeddingPlot }) {
  const { clip } = plot.state.value;
  const set = (end: 0 | 1, value: number) => {
    if (!Number.isFinite(value)) return;
    const next: [number, number] = [...clip];
    next[end] = Math.min(Math.max(value, 0), 100);
    if (next[0] < next[1]) plot.set({ clip: next });
  };
  return (
    <div class="clip">
      <span class="quiet-text">Colours from</span>
      {([0, 1] as const).map((end) => (
        <label key={end}>
          <input
            type="number"
            class="clip-number"
            min={0}
            max={100}
            step={0.5}
            value={clip[end]}
            aria-label={end === 0 ? "Lower percentile" : "Upper percentile"}
            onChange={(event) => set(end, event.currentTarget.valueAsNumber)}
          />
          %
        </label>
      ))}
    </div>
  );
}

interface RangeFieldsProps {
  readonly range: Range;
  readonly isKept: boolean;
  readonly onRange: (range: Range | null) => void;
}

/** Keyboard input of a range. */
function RangeFields({ range, isKept, onRange }: RangeFieldsProps) {
  const set = (end: 0 | 1, value: number) => {
    if (!Number.isFinite(value)) return;
    const next: [number, number] = [...range];
    next[end] = value;
    onRange([Math.min(...next), Math.max(...next)]);
  };
  return (
    <div class="clip">
      <span class="quiet-text">Keep from</span>
      {([0, 1] as const).map((end) => (
        <input
          key={end}
          type="number"
          class="clip-number"
          step="any"
          value={Number(range[end].toPrecision(6))}
          aria-label={end === 0 ? "Keep cells from" : "Keep cells to"}
          onChange={(event) => set(end, event.currentTarget.valueAsNumber)}
        />
      ))}
      {isKept && (
        <button type="button" class="quiet" onClick={() => onRange(null)}>
          All
        </button>
      )}
    </div>
  );
}

function rangeOfLast(selection: CellSelection, column: string | null): Range | null {
  const last = selection.steps.value.at(-1);
  return last?.by === "range" && last.column === column ? last.range : null;
}

function keepRange(selection: CellSelection, column: string, range: Range | null): void {
  const isAgain = rangeOfLast(selection, column) !== null;
  if (range === null) {
    if (isAgain) selection.undo();
    return;
  }
  const step = { by: "range", mode: "within", column, range: [...range] as [number, number] } as const;
  if (isAgain) selection.replaceLast(step);
  else selection.add(step);
}
