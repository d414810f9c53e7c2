/** Copies selected cells as tab-separated text, for spreadsheets and editors. */

import { wholeText } from "./cell-text.js";
import type { Bounds } from "./grid-range.js";
import type { GridRows } from "./grid-rows.js";

/** Maximum number of cells copied: the clipboard is not suitable for a whole table. */
export const MOST_COPIED = 500_000;
const ROWS_AT_ONCE = 5000;

/** @param hasHead whether the first line contains the column names. */
export async function tsvOf(source: GridRows, bounds: Bounds, hasHead: boolean, signal: AbortSignal): Promise<string> {
  const columns = source.columns.slice(...bounds.columns);
  const [start, end] = bounds.rows;
  if (columns.length * (end - start) > MOST_COPIED) {
    throw new RangeError(
      `${(columns.length * (end - start)).toLocaleString("en")} cells are chosen; at most ${MOST_COPIED.toLocaleString("en")} are copied. Export saves more.`,
    );
  }
  const lines = hasHead ? [columns.map(({ label }) => field(label)).join("\t")] : [];
  const groups = [...new Set(columns.map(({ group }) => group))];
  for (let first = start; first < end; first += ROWS_AT_ONCE) {
    const last = Math.min(first + ROWS_AT_ONCE, end);
    const blocks = await Promise.all(groups.map((group) => source.read({ start: first, end: last, group }, signal)));
    for (let row = 0; row < last - first; row++) {
      const cells = columns.map(({ field: name, item, group }) => {
        const vector = blocks[groups.indexOf(group)].get(name);
        return vector === undefined ? "" : field(wholeText(vector, row, item) ?? "");
      });
      lines.push(cells.join("\t"));
    }
  }
  return lines.join("\n");
}

/** Replaces tabs and line breaks, which would start another cell. */
function field(text: string): string {
  return text.replaceAll(/[\t\r\n]/g, " ");
}
