/** Splits the plot into panels, one per category of a column, each with its own points. */

import { type CellValues, missingCode } from "../../data/cell-values.js";
import { inSlices } from "../../data/slices.js";
import type { Box } from "../layer/camera.js";
import type { PointOrder } from "../layer/point-order.js";

/** Maximum number of panels, for the largest categories. */
export const MOST_PANELS = 30;

export interface Group {
  readonly title: string;
  readonly code: number;
  /** Index of the group's first point in the index list. */
  readonly first: number;
  readonly count: number;
}

export interface Groups {
  /** Index list: drawing order numbers of the points, group by group. */
  readonly indices: Uint32Array;
  readonly groups: readonly Group[];
  /** Category code of each cell. */
  readonly codes: Uint8Array | Uint16Array;
  /** Number of categories without a panel. */
  readonly left: number;
}

export async function groupsOf(
  { codes, categories }: CellValues & { kind: "codes" },
  order: PointOrder,
  signal?: AbortSignal,
): Promise<Groups> {
  const counts = new Uint32Array(missingCode(codes) + 1);
  const count = (from: number, to: number): void => {
    for (let at = from; at < to; at++) counts[codes[at] as number] = (counts[codes[at] as number] as number) + 1;
  };
  await inSlices(codes.length, count, { signal });
  const used = [...counts.keys()].filter((code) => (counts[code] as number) > 0);
  const shown = new Set(used.toSorted((a, b) => (counts[b] as number) - (counts[a] as number)).slice(0, MOST_PANELS));
  const groups: Group[] = [];
  const next = new Int32Array(counts.length).fill(-1);
  let total = 0;
  for (const code of used.filter((one) => shown.has(one))) {
    next[code] = total;
    groups.push({ title: categories[code] ?? "missing", code, first: total, count: counts[code] as number });
    total += counts[code] as number;
  }
  const indices = new Uint32Array(total);
  const fill = (from: number, to: number): void => {
    order.forEach(from, to, (position, at) => {
      const code = codes[position] as number;
      const place = next[code] as number;
      if (place === -1) return;
      indices[place] = at;
      next[code] = place + 1;
    });
  };
  await inSlices(codes.length, fill, { signal });
  return { indices, groups, codes, left: used.length - groups.length };
}

/** Height above a panel for its title, in pixels. */
const TITLE = 22;
const GAP = 6;

/** Returns the boxes of panels in rows on a canvas, as large as possible. */
export function panelBoxes(count: number, width: number, height: number): readonly Box[] {
  const side = (columns: number): number => {
    const rows = Math.ceil(count / columns);
    return Math.min((width - GAP) / columns - GAP, (height - GAP) / rows - GAP - TITLE);
  };
  let columns = 1;
  for (let more = 2; more <= count; more++) if (side(more) > side(columns)) columns = more;
  const rows = Math.ceil(count / columns);
  const wide = (width - GAP) / columns;
  const high = (height - GAP) / rows;
  return Array.from({ length: count }, (_, at) => ({
    left: GAP + (at % columns) * wide,
    top: GAP + Math.floor(at / columns) * high + TITLE,
    width: Math.max(wide - GAP, 1),
    height: Math.max(high - GAP - TITLE, 1),
  }));
}
