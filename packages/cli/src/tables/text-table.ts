/** Formats tables as text: no borders, right-aligned numbers, no wider than the terminal. */

import { escapeControlChars } from "annarrow/core/api";

export interface TextColumn {
  readonly title: string;
  readonly align: "left" | "right";
}

export interface TextTableOptions {
  /** Columns of the terminal; unlimited if undefined. */
  readonly width?: number;
  /** Adds escape codes for the title and for NULL. */
  readonly color?: boolean;
}

const GAP = 2;
const NARROWEST = 6;

/** Formats lines of text, with a title line; a null cell is shown as NULL. */
export function formatTextTable(
  columns: readonly TextColumn[],
  rows: readonly (readonly (string | null)[])[],
  options: TextTableOptions = {},
): string {
  const table = new TextTable(columns, options);
  return table.block(rows) + table.end();
}

/** A table whose rows arrive in batches. Columns widen as later batches need; only the first batch has a title. */
export class TextTable {
  readonly #columns: readonly TextColumn[];
  readonly #options: TextTableOptions;
  #widths: readonly number[] | null = null;

  constructor(columns: readonly TextColumn[], options: TextTableOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  block(rows: readonly (readonly (string | null)[])[]): string {
    const cells = rows.map((row) => row.map((cell) => (cell === null ? null : escapeControlChars(cell))));
    const titles = this.#columns.map((column) => escapeControlChars(column.title));
    const before = this.#widths;
    const natural = titles.map((title, i) =>
      cells.reduce(
        (longest, row) => Math.max(longest, countTerminalColumns(row[i] ?? "NULL")),
        before?.[i] ?? Math.max(1, countTerminalColumns(title)),
      ),
    );
    const widths = fitted(natural, this.#options.width);
    this.#widths = widths;
    const lines = cells.map((row) => this.#line(row, widths, (text) => text));
    if (before === null) lines.unshift(this.#line(titles, widths, (text) => this.#dim(text)));
    return lines.map((line) => `${line.trimEnd()}\n`).join("");
  }

  /** Returns the line after the last batch, with the number of columns that did not fit. */
  end(): string {
    const hidden = this.#widths?.filter((size) => size === 0).length ?? 0;
    return hidden > 0 ? `${this.#dim(`… ${hidden} more columns`)}\n` : "";
  }

  #dim(text: string): string {
    return this.#options.color ? `\u001b[2m${text}\u001b[0m` : text;
  }

  #line(texts: readonly (string | null)[], widths: readonly number[], style: (text: string) => string): string {
    const shown = widths.filter((size) => size > 0);
    return shown
      .map((size, i) => {
        const text = texts[i] ?? null;
        const fitting = cut(text ?? "NULL", size);
        const space = " ".repeat(size - countTerminalColumns(fitting));
        const styled = text === null ? this.#dim(fitting) : style(fitting);
        return this.#columns[i].align === "right" ? space + styled : styled + space;
      })
      .join(" ".repeat(GAP));
  }
}

/** Shrinks the widest columns first. Columns without any room get the width 0. */
function fitted(natural: readonly number[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  const shown = mostColumns(natural, width);
  if (shown < natural.length) return natural.map((size, i) => (i < shown ? Math.min(size, NARROWEST) : 0));
  // Only a few columns fit on a line, however many a table has.
  const total = () => widths.reduce((sum, size) => sum + size, 0) + GAP * (shown - 1);
  while (total() > width) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    const at = widths.lastIndexOf(widest);
    const second = Math.max(NARROWEST, ...widths.filter((size) => size < widest));
    widths[at] = Math.max(second, widest - (total() - width), NARROWEST);
    if (widths[at] === widest) widths[at]--;
  }
  return widths;
}

/** Returns how many columns fit on a line if each is as narrow as possible. The first column is always shown. */
function mostColumns(natural: readonly number[], width: number): number {
  let used = -GAP;
  for (const [i, size] of natural.entries()) {
    used += GAP + Math.min(size, NARROWEST);
    if (used > width) return Math.max(1, i);
  }
  return natural.length;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

/** Returns the number of terminal columns that `text` occupies. */
export function countTerminalColumns(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1;
  return width;
}

function cut(text: string, width: number): string {
  if (countTerminalColumns(text) <= width) return text;
  let out = "";
  let used = 1;
  for (const character of text) {
    used += countTerminalColumns(character);
    if (used > width) break;
    out += character;
  }
  return `${out}…`;
}
