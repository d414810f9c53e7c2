/** Gives a sparse matrix entries at the positions that it lacks, where these have another value than 0. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { checkedMinorColumn, entriesColumn } from "../arrow/sparse.js";
import { type EntryLists, entryLists, intValues } from "../tables/sparse/sparse-entries.js";
import { filled, numbersColumn, numbersIn } from "./cast-numbers.js";
import type { NumericType } from "./common-type.js";
import { copyRange } from "./dense-matrices.js";
import type { MatrixPart } from "./matrix-part.js";

/** What is written where a matrix lacks positions. */
export interface EntryFill {
  /** The positions along the other axis, rising. */
  readonly positions: Int32Array;
  readonly value: number;
  /** Length of the other axis. */
  readonly across: number;
  readonly type: NumericType;
}

/** Most entries of one batch, but for rows that have more. */
const BATCH_ENTRIES = 2 ** 20;

/** The fill of a matrix; null where it lacks nothing, or what it lacks is 0. */
export function entryFill(part: MatrixPart, how: Pick<EntryFill, "value" | "across" | "type">): EntryFill | null {
  if (how.value === 0) return null;
  const positions = lackedPositions(part, how.across);
  return positions.length === 0 ? null : { ...how, positions };
}

function lackedPositions({ table, places, across: own }: MatrixPart, across: number): Int32Array {
  const isThere = new Uint8Array(across);
  if (table === null) isThere.fill(0);
  else if (places === null) isThere.fill(1, 0, own);
  else for (const place of places) if (place >= 0) isThere[place] = 1;
  return Int32Array.from(isThere.keys()).filter((position) => isThere[position] === 0);
}

/** The lists of entries of a batch, with the entries that they lack. */
export function* filledLists(batch: ColumnBatch, fill: EntryFill, element: string): Generator<ColumnBatch> {
  const lists = entryLists(batch, element);
  const { offsets } = lists;
  for (let start = 0; start === 0 || start < batch.length; ) {
    let end = Math.min(start + 1, batch.length);
    const entries = (rows: number) => offsets[start + rows] - offsets[start] + rows * fill.positions.length;
    while (end < batch.length && entries(end + 1 - start) <= BATCH_ENTRIES) end++;
    yield { length: end - start, columns: [filledRows(lists, [start, end], fill, element)] };
    start = Math.max(end, 1);
  }
}

function filledRows(
  { offsets, index, values }: EntryLists,
  [start, end]: readonly [number, number],
  fill: EntryFill,
  element: string,
) {
  const { positions, type } = fill;
  const [base, own, from] = [offsets[0], intValues(index, "index", element), numbersIn(values)];
  const pointers = new Float64Array(end - start + 1);
  const count = offsets[end] - offsets[start] + (end - start) * positions.length;
  const minor = new Int32Array(count);
  const to = filled(count, { type, fill: fill.value });
  let at = 0;
  for (let row = start; row < end; row++) {
    let next = 0;
    for (let entry = offsets[row] - base; entry < offsets[row + 1] - base; entry++) {
      const position = Number(own[entry]);
      while (next < positions.length && positions[next] < position) minor[at++] = positions[next++];
      copyRange(from, entry, to, at, 1);
      minor[at++] = position;
    }
    while (next < positions.length) minor[at++] = positions[next++];
    pointers[row - start + 1] = at;
  }
  return entriesColumn(pointers, checkedMinorColumn(minor, fill.across), numbersColumn(to, type));
}

/** The entries that `length` rows lack, as batches of positions along the axis, positions along the other axis, and values. */
export function* filledCoordinates(
  length: number,
  { positions, value, across, type }: EntryFill,
): Generator<{ readonly main: Int32Array; readonly other: PrimitiveColumn; readonly value: Column }> {
  const most = Math.max(1, Math.floor(BATCH_ENTRIES / positions.length));
  for (let start = 0; start < length; start += most) {
    const rows = Math.min(most, length - start);
    const main = new Int32Array(rows * positions.length);
    const other = new Int32Array(main.length);
    for (let row = 0; row < rows; row++) {
      main.fill(start + row, row * positions.length, (row + 1) * positions.length);
      other.set(positions, row * positions.length);
    }
    const values = numbersColumn(filled(main.length, { type, fill: value }), type);
    yield { main, other: checkedMinorColumn(other, across), value: values };
  }
}
