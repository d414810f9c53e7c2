/** Counts of a column of `obs`, over all cells and over the selected cells. */

import type { CellValues } from "../data/cell-values.js";
import { type Bins, binsFor, countCodes, countsIn, type Extent, extentOf } from "../figure/histogram.js";

export type ColumnCounts =
  | {
      readonly kind: "numbers";
      readonly bins: Bins;
      readonly extent: Extent;
      readonly all: readonly number[];
      /** Null where all cells are selected. */
      readonly selected: readonly number[] | null;
    }
  | {
      readonly kind: "categories";
      /** Null means the missing value. */
      readonly labels: readonly (string | null)[];
      readonly all: readonly number[];
      readonly selected: readonly number[] | null;
      /** Number of categories not listed, if there are too many. */
      readonly others: number;
    };

const BINS = 40;
/** Maximum number of listed categories, the largest ones. */
const LISTED = 30;

export async function countColumn(
  values: CellValues,
  mask: Uint8Array | null,
  signal: AbortSignal,
): Promise<ColumnCounts> {
  if (values.kind === "numbers") {
    const extent = await extentOf(values.values, signal);
    const bins = binsFor(extent, BINS);
    const all = await countsIn(values.values, bins, null, signal);
    const selected = mask === null ? null : await countsIn(values.values, bins, mask, signal);
    return { kind: "numbers", bins, extent, all, selected };
  }
  const { codes, categories } = values;
  const all = await countCodes(codes, categories.length, null, signal);
  const selected = mask === null ? null : await countCodes(codes, categories.length, mask, signal);
  const places = all.map((_, place) => place).filter((place) => all[place] > 0);
  const listed =
    places.length <= LISTED ? places : [...places].sort((one, other) => all[other] - all[one]).slice(0, LISTED);
  return {
    kind: "categories",
    labels: listed.map((place) => (place === categories.length ? null : categories[place])),
    all: listed.map((place) => all[place]),
    selected: selected === null ? null : listed.map((place) => selected[place]),
    others: places.length - listed.length,
  };
}
