/** Small multiples: a panel for each category of a column, each with its own points. */

import { type CellValues, missingCode } from "../../data/cell-values.js";
import { inSlices } from "../../data/slices.js";
import type { Box } from "../layer/camera.js";
import type { PointOrder } from "../layer/point-order.js";

/** Panels at most; the categories with the most points have them. */
export const MOST_PANELS = 30;

export interface Group {
  readonly title: string;
  readonly code: number;
  /** Its numbers in the list. */
  readonly first: number;
  readonly count: number;
}

export interface Groups {
  /** Numbers of the points in the order of drawing, group after group. */
  readonly indices: Uint32Array;
  readonly groups: readonly Group[];
  /** The category of each cell. */
  readonly codes: Uint8Array | Uint16Array;
  /** Categories without a panel. */
  readonly left: number;
}

/** Sorts the points by category. */
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

/** Space above a panel for its title. */
const TITLE = 22;
const GAP = 6;

/** The boxes of panels on a canvas, row after row, as large as they can be. */
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
