/** The cell under the pointer: its name, and the value that colours it. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useAnswer } from "../../answers/use-answer.js";
import { missingCode } from "../../data/cell-values.js";
import { shortNumber } from "../../selection/step-words.js";
import { type Box, pixelsOf, placeAt } from "../layer/camera.js";
import type { EmbeddingPlot, Places } from "../plot/embedding-plot.js";
import { HoverIndex } from "../plot/hover-index.js";
import type { PointColours } from "../plot/point-colours.js";
import { boxesOf } from "./panel-boxes.js";

export interface HoverPlace {
  readonly x: number;
  readonly y: number;
  readonly box: Box;
}

/** Radius around the pointer, in pixels, in which a point is found. */
const REACH = 7;
/** Milliseconds that the pointer must rest on a cell before its name is requested. */
const PAUSE = 60;

export function HoverNote({ plot, place }: { readonly plot: EmbeddingPlot; readonly place: HoverPlace | null }) {
  const index = useHoverIndex(plot, place !== null);
  const cell = place === null || index === null ? null : cellAt(plot, index, place);
  const frame = plot.opened.description.tables.find(({ name }) => name === "obs");
  const nameColumn = frame?.index ?? null;
  const named = useAnswer(cell === null || nameColumn === null ? null : String(cell), async (asked) => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    asked.throwIfAborted();
    const request = {
      call: "rows",
      input: plot.opened.name,
      table: "obs",
      columns: [nameColumn ?? ""],
      at: [cell ?? 0],
    } as const;
    for await (const batch of plot.view.connection.batches(
      { ...request, columns: [...request.columns], at: [...request.at] },
      { signal: asked },
    )) {
      return String(batch.getChildAt(0)?.get(0) ?? "");
    }
    return "";
  });
  if (cell === null || place === null) return null;
  const isLeft = place.x > plot.size.value.width - 260;
  const isAbove = place.y > plot.size.value.height - 90;
  const value = valueAt(plot.shown.value, cell);
  return (
    <div
      class="hover-note"
      role="status"
      style={{
        left: `${place.x + (isLeft ? -14 : 14)}px`,
        top: `${place.y + (isAbove ? -14 : 14)}px`,
        translate: `${isLeft ? "-100%" : "0"} ${isAbove ? "-100%" : "0"}`,
      }}
    >
      <bdi class="hover-name">{named.state === "ready" ? named.value : `cell ${(cell + 1).toLocaleString("en")}`}</bdi>
      {value !== null && (
        <div>
          <span class="quiet-text">{value[0]}</span> <bdi>{value[1]}</bdi>
        </div>
      )}
    </div>
  );
}

function useHoverIndex(plot: EmbeddingPlot, isNeeded: boolean): HoverIndex | null {
  const built = useSignal<{ places: Places; index: HoverIndex } | null>(null);
  const building = useRef<Places | null>(null);
  const places = plot.places.value;
  useEffect(() => {
    if (!isNeeded || places === null || building.current === places) return;
    building.current = places;
    void HoverIndex.build(places.xs, places.ys, places.frame).then((index) => {
      if (building.current === places) built.value = { places, index };
    });
  }, [places, isNeeded]);
  return built.value?.places === places ? built.value.index : null;
}

function cellAt(plot: EmbeddingPlot, index: HoverIndex, { x, y, box }: HoverPlace): number | null {
  const camera = plot.camera.value;
  const at = placeAt(camera, box, x, y);
  const mask = plot.opened.selection.mask.value;
  const within = REACH / pixelsOf(camera, box);
  const groups = plot.groups.value;
  const code = groups?.groups[boxesOf(plot).findIndex(({ left, top }) => left === box.left && top === box.top)]?.code;
  const isHere = (point: number) => groups === null || groups.codes[point] === code;
  const selected = mask === null ? null : index.nearest(...at, within, (point) => mask[point] === 1 && isHere(point));
  return selected ?? index.nearest(...at, within, isHere);
}

function valueAt(colours: PointColours, cell: number): readonly [string, string] | null {
  switch (colours.kind) {
    case "none":
      return null;
    case "categories": {
      const code = colours.codes[cell] ?? 0;
      return [colours.title, code === missingCode(colours.codes) ? "missing" : (colours.categories[code] ?? "")];
    }
    case "numbers": {
      const value = colours.values[cell] ?? Number.NaN;
      return [colours.title, Number.isNaN(value) ? "missing" : shortNumber(value)];
    }
    default:
      return colours satisfies never;
  }
}
