/** Splits the columns of a dense block into groups. Each group becomes a separate matrix. */

import type { EntryWords } from "../sparse/scatter.js";

export interface GroupedColumns {
  readonly columns: Int32Array;
  /** The columns of group g are `columns[starts[g]]` up to, but not including, `columns[starts[g + 1]]`. */
  readonly starts: Int32Array;
}

/**
 * Copies a block of `rows` rows to `target`, group by group. Each group contains all rows. Group g begins at the value
 * `rows * starts[g]`.
 * @param step number of words of a value.
 * @param stride number of values between the starts of consecutive rows of `source`.
 */
export function splitColumns(
  source: EntryWords,
  { columns, starts }: GroupedColumns,
  { rows, stride, step }: { readonly rows: number; readonly stride: number; readonly step: number },
  target: EntryWords,
): void {
  const words = columns.map((column) => column * step);
  for (let group = 0; group + 1 < starts.length; group++) {
    const own = words.subarray(starts[group], starts[group + 1]);
    let to = rows * starts[group] * step;
    for (let row = 0; row < rows; row++) {
      takeRow(source, own, row * stride * step, step, target, to);
      to += own.length * step;
    }
  }
}

function takeRow(
  source: EntryWords,
  columns: Int32Array,
  first: number,
  step: number,
  target: EntryWords,
  to: number,
): void {
  if (step !== 1) takeWide(source, columns, first, step, target, to);
  else if (source instanceof Int32Array && target instanceof Int32Array) take32(source, columns, first, target, to);
  else for (let i = 0; i < columns.length; i++) target[to + i] = source[first + columns[i]];
}

/** Copies columns of 32-bit values, the usual width. A separate loop for a single array type is faster. */
function take32(source: Int32Array, columns: Int32Array, first: number, target: Int32Array, to: number): void {
  for (let i = 0; i < columns.length; i++) target[to + i] = source[first + columns[i]];
}

function takeWide(
  source: EntryWords,
  columns: Int32Array,
  first: number,
  step: number,
  target: EntryWords,
  to: number,
): void {
  let at = to;
  for (const column of columns) for (let k = 0; k < step; k++) target[at++] = source[first + column + k];
}
