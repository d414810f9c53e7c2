/** The names of both axes, in the corner: an embedding has no units. */

import { axisLabel } from "../../selection/step-words.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";

export function AxisNames({ plot }: { readonly plot: EmbeddingPlot }) {
  const chosen = plot.chosen.value;
  if (chosen === null) return null;
  const [x, y] = axisNames(chosen);
  return (
    <svg class="axis-names" width="240" height="64" aria-hidden="true">
      <path d="M14 8 V50 H56 M10.5 13 L14 7 L17.5 13 M51 46.5 L57 50 L51 53.5" />
      <text x="62" y="54">
        {x}
      </text>
      <text x="22" y="14">
        {y}
      </text>
    </svg>
  );
}

/** Names of two axes: `UMAP 1`, or the column. */
export function axisNames({ table, axes }: { readonly table: string; readonly axes: readonly [string, string] }) {
  const base = table.replace(/^obsm\/(X_)?/, "");
  const name = base.length <= 5 ? base.toUpperCase() : base;
  return axes.map((axis) => (table === "obs" || !/\]$/.test(axis) ? axis : `${name} ${axisLabel(axis)}`));
}
