/** How much memory a table takes as Arrow. */

import type { TableOutline } from "./table-outline.js";

/** A text or list is taken for this many bytes: only reading it would tell. */
const GUESS = 16;

/** Null where the number of rows is not known. */
export function tableBytes(table: TableOutline): { readonly size: number; readonly estimated: boolean } | null {
  if (table.rows === null) return null;
  let row = 0;
  let estimated = false;
  for (const { bytes } of table.columns) {
    estimated ||= bytes === null;
    row += bytes ?? GUESS;
  }
  return { size: row * table.rows, estimated };
}

/** `1.5 MiB`, with `~` where it is an estimate. */
export function bytesText({ size, estimated }: { size: number; estimated: boolean }): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(size) / 10));
  const value = size / 1024 ** step;
  return `${estimated ? "~" : ""}${step === 0 ? Math.ceil(value) : value.toFixed(1)} ${units[step]}`;
}
