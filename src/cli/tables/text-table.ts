/** Tables for people: no borders, numbers to the right, no wider than the terminal. */

import { printable } from "../../display/plain.js";

export interface TextColumn {
  readonly title: string;
  readonly align: "left" | "right";
}

export interface TextTableOptions {
  /** Columns of the terminal; no limit where it is not known. */
  readonly width?: number;
  /** Escape codes for the title and for NULL. */
  readonly color?: boolean;
}

const GAP = 2;
const NARROWEST = 6;

/** Lines of text, with a title line; a null cell is shown as NULL. */
export function textTable(
  columns: readonly TextColumn[],
  rows: readonly (readonly (string | null)[])[],
  { width, color = false }: TextTableOptions = {},
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? null : printable(cell))));
  const titles = columns.map((column) => printable(column.title));
  const natural = titles.map((title, i) =>
    cells.reduce((longest, row) => Math.max(longest, textWidth(row[i] ?? "NULL")), Math.max(1, textWidth(title))),
  );
  const widths = fitted(natural, width);
  const shown = widths.filter((size) => size > 0).length;
  const dim = (text: string) => (color ? `\u001b[2m${text}\u001b[0m` : text);
  const line = (texts: readonly (string | null)[], style: (text: string) => string) =>
    widths
      .slice(0, shown)
      .map((size, i) => {
        const text = texts[i] ?? null;
        const fitting = cut(text ?? "NULL", size);
        const space = " ".repeat(size - textWidth(fitting));
        const styled = text === null ? dim(fitting) : style(fitting);
        return columns[i].align === "right" ? space + styled : styled + space;
      })
      .join(" ".repeat(GAP));
  const lines = [line(titles, dim), ...cells.map((row) => line(row, (text) => text))];
  if (shown < columns.length) lines.push(dim(`… ${columns.length - shown} more columns`));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Shrinks the widest columns first; columns for which nothing is left get the width 0. */
function fitted(natural: readonly number[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  let shown = widths.length;
  const total = () => widths.slice(0, shown).reduce((sum, size) => sum + size, 0) + GAP * Math.max(0, shown - 1);
  while (total() > width) {
    const widest = Math.max(...widths.slice(0, shown));
    if (widest <= NARROWEST) {
      if (shown <= 1) break;
      shown--;
      continue;
    }
    const at = widths.slice(0, shown).lastIndexOf(widest);
    const second = Math.max(NARROWEST, ...widths.slice(0, shown).filter((size) => size < widest));
    widths[at] = Math.max(second, widest - (total() - width), NARROWEST);
    if (widths[at] === widest) widths[at]--;
  }
  return widths.map((size, i) => (i < shown ? size : 0));
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

/** Columns of a terminal that `text` takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1;
  return width;
}

function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let out = "";
  let used = 1;
  for (const character of text) {
    used += textWidth(character);
    if (used > width) break;
    out += character;
  }
  return `${out}…`;
}
