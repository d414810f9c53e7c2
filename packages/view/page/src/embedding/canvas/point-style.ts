/** Current style of the points: colours, size, opacity, for a light or dark page. */

import { paletteOf } from "../colours/category-colours.js";
import { clipped } from "../colours/number-spread.js";
import { rampPalette } from "../colours/ramp.js";
import type { Colouring, PointStyle, Rgb } from "../layer/point-program.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { usualOpacity, usualSize } from "../plot/plot-state.js";
import { categoryPalette, type PointColours } from "../plot/point-colours.js";

const LIGHT = { missing: [196, 201, 208], one: [70, 120, 180] } as const;
const DARK = { missing: [74, 80, 89], one: [120, 165, 220] } as const;

const RAMP = rampPalette();
const ONE: Readonly<Record<"light" | "dark", Uint8Array>> = {
  light: paletteOf([LIGHT.one]),
  dark: paletteOf([DARK.one]),
};
const PALETTES = new WeakMap<PointColours, Readonly<Record<"light" | "dark", Uint8Array>>>();

/** Returns the style of the points. Reuses the object for the same colours, so that palettes are uploaded only once. */
export function styleOf(plot: EmbeddingPlot, width: number, height: number, ratio: number): PointStyle {
  const theme = plot.isDark.value ? "dark" : "light";
  const { size, opacity, clip } = plot.state.value;
  const largest = Math.max(
    ...(plot.groups.value?.groups.map(({ count }) => count) ?? [plot.places.value?.xs.length ?? 0]),
  );
  const panels = plot.groups.value?.groups.length ?? 1;
  return {
    colouring: colouringOf(plot.shown.value, clip, theme),
    size: (size ?? usualSize(largest, width / Math.sqrt(panels), height / Math.sqrt(panels))) * ratio,
    opacity: opacity ?? usualOpacity(largest),
    fades: plot.opened.selection.mask.value !== null,
    missing: missingColour(plot.isDark.value),
  };
}

/** Colour of points without a value or outside the selection. */
export const missingColour = (isDark: boolean): Rgb => (isDark ? DARK : LIGHT).missing;

export const plainColour = (isDark: boolean): Rgb => (isDark ? DARK : LIGHT).one;

function colouringOf(colours: PointColours, clip: readonly [number, number], theme: "light" | "dark"): Colouring {
  switch (colours.kind) {
    case "none":
      return { kind: "one", palette: ONE[theme] };
    case "numbers":
      return { kind: "numbers", palette: RAMP, range: clipped(colours.spread, clip) };
    case "categories": {
      const known = PALETTES.get(colours) ?? {
        light: categoryPalette(colours, LIGHT.missing),
        dark: categoryPalette(colours, DARK.missing),
      };
      PALETTES.set(colours, known);
      return { kind: "codes", palette: known[theme] };
    }
    default:
      return colours satisfies never;
  }
}
