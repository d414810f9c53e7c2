/** The plot area: the canvas, the outline being drawn, panel titles, and the cell under the pointer. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { wordsOf } from "../../answers/in-words.js";
import { FailureNote } from "../../answers/notes.js";
import { PointLayer } from "../layer/point-layer.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { AxisNames } from "./axis-names.js";
import { chooseCells } from "./choose-cells.js";
import { followGestures, type Tool } from "./gestures.js";
import { HoverNote, type HoverPlace } from "./hover-note.js";
import { boxesOf, NO_BOX, nearestBox } from "./panel-boxes.js";
import { styleOf } from "./point-style.js";

interface PointCanvasProps {
  readonly plot: EmbeddingPlot;
  readonly tool: Tool;
}

export interface CanvasSize {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

export function PointCanvas({ plot, tool }: PointCanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const outline = useSignal<readonly number[] | null>(null);
  const hover = useSignal<HoverPlace | null>(null);
  const failure = useSignal<string | null>(null);
  const size = plot.size;
  const toolNow = useRef(tool);
  toolNow.current = tool;

  useEffect(() => {
    const element = place.current;
    if (element === null || canvas.current === null) return;
    const ends = new AbortController();
    try {
      plot.start(new PointLayer(canvas.current));
    } catch (error) {
      failure.value = wordsOf(error);
      return;
    }
    const measure = () => {
      const { width, height } = element.getBoundingClientRect();
      size.value = { width, height, ratio: window.devicePixelRatio };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    followGestures(
      {
        element,
        tool: () => toolNow.current,
        camera: () => plot.camera.value,
        setCamera: (camera) => {
          plot.camera.value = camera;
        },
        boxAt: (x, y) => nearestBox(boxesOf(plot), x, y),
        onOutline: (points) => {
          outline.value = points;
        },
        onChosen: (points, box, keys) => chooseCells(plot, points, box, keys),
        onHover: (at) => {
          hover.value = at === null ? null : { ...at, box: nearestBox(boxesOf(plot), at.x, at.y) };
        },
      },
      ends.signal,
    );
    return () => {
      ends.abort();
      observer.disconnect();
      plot.stop();
    };
  }, [plot]);

  useSignalEffect(() => {
    const { width, height, ratio } = size.value;
    plot.layer.value?.setSize(Math.round(width * ratio), Math.round(height * ratio), ratio);
  });
  useSignalEffect(() => {
    const groups = plot.groups.value;
    const count = plot.places.value?.xs.length ?? 0;
    const boxes = boxesOf(plot);
    const panels = (groups?.groups ?? [{ first: 0, count }]).map((group, at) => ({
      ...group,
      box: boxes[at] ?? NO_BOX,
    }));
    plot.layer.value?.setPanels(panels, groups === plot.drawnGroups ? "kept" : (groups?.indices ?? null));
    plot.drawnGroups = groups;
  });
  useSignalEffect(() => plot.layer.value?.setCamera(plot.camera.value));
  useSignalEffect(() => {
    const { width, height, ratio } = size.value;
    if (width > 0) plot.layer.value?.setStyle(styleOf(plot, width, height, ratio));
  });

  const groups = plot.groups.value;
  const { width, height } = size.value;
  return (
    <div
      ref={place}
      class={`points tool-${tool}`}
      tabIndex={0}
      role="application"
      aria-label={`Embedding: ${label(plot)}. Arrow keys move, plus and minus zoom, 0 shows all.`}
    >
      <canvas ref={canvas} width={0} height={0} style={{ width: `${width}px`, height: `${height}px` }} />
      {failure.value !== null && <FailureNote message={failure.value} />}
      {groups !== null &&
        boxesOf(plot).map((box, at) => (
          <div
            key={groups.groups[at]?.title}
            class="panel-title"
            style={{ left: `${box.left}px`, top: `${box.top - 22}px`, width: `${box.width}px` }}
          >
            <bdi>{groups.groups[at]?.title}</bdi>{" "}
            <span class="panel-count">{groups.groups[at]?.count.toLocaleString("en")}</span>
          </div>
        ))}
      {groups === null && <AxisNames plot={plot} />}
      {outline.value !== null && (
        <svg class="outline" width={width} height={height} aria-hidden="true">
          <polygon points={outline.value.join(" ")} />
        </svg>
      )}
      <HoverNote plot={plot} place={hover.value} />
    </div>
  );
}

const label = (plot: EmbeddingPlot): string => plot.chosen.value?.table ?? "nothing";
