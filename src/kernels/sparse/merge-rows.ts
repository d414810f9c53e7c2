/** Merges rows that were found in several pieces. */

import type { NonZeroList, ValueWords } from "./non-zero-list.js";

/**
 * Pieces of rows. Every piece contains a range of adjacent columns for all rows. Pieces are ordered from left to right,
 * and each piece is contiguous in a list.
 */
export interface ColumnRanges {
  /** The first entry of each piece. */
  readonly starts: readonly number[];
  /** For each piece, the index in the list's `ends` at which the ends of its rows start. */
  readonly ends: readonly number[];
}

/** Adds the number of entries of row `i` to `counts[i]`. */
export function countRows(list: NonZeroList, { starts, ends }: ColumnRanges, counts: Int32Array): void {
  for (let piece = 0; piece < starts.length; piece++) {
    let before = starts[piece];
    const first = ends[piece];
    for (let row = 0; row < counts.length; row++) {
      const end = list.ends[first + row];
      counts[row] += end - before;
      before = end;
    }
  }
}

/**
 * Copies the rows of `range` to `columns` and `values`, from entry `at` on.
 * @returns the index after the last copied entry.
 */
export function mergeRows(
  list: NonZeroList,
  pieces: ColumnRanges,
  range: readonly [from: number, to: number],
  columns: Int32Array,
  values: ValueWords,
  at: number,
): number {
  const { words, size } = list;
  if (words.BYTES_PER_ELEMENT !== values.BYTES_PER_ELEMENT) throw new TypeError("values of two sizes");
  const merge = size === 8 ? mergePairs : mergeWords;
  return merge(list, pieces, range, columns, words, values, at);
}

function mergeWords(
  list: NonZeroList,
  { starts, ends }: ColumnRanges,
  [from, to]: readonly [from: number, to: number],
  columns: Int32Array,
  words: ValueWords,
  values: ValueWords,
  at: number,
): number {
  const found = list.columns;
  const rowEnds = list.ends;
  let next = at;
  for (let row = from; row < to; row++) {
    for (let piece = 0; piece < starts.length; piece++) {
      const place = ends[piece] + row;
      const end = rowEnds[place];
      for (let i = row === 0 ? starts[piece] : rowEnds[place - 1]; i < end; i++, next++) {
        columns[next] = found[i];
        values[next] = words[i];
      }
    }
  }
  return next;
}

/** Implements `mergeRows` for values of two words. */
function mergePairs(
  list: NonZeroList,
  { starts, ends }: ColumnRanges,
  [from, to]: readonly [from: number, to: number],
  columns: Int32Array,
  words: ValueWords,
  values: ValueWords,
  at: number,
): number {
  const found = list.columns;
  const rowEnds = list.ends;
  let next = at;
  for (let row = from; row < to; row++) {
    for (let piece = 0; piece < starts.length; piece++) {
      const place = ends[piece] + row;
      const end = rowEnds[place];
      for (let i = row === 0 ? starts[piece] : rowEnds[place - 1]; i < end; i++, next++) {
        columns[next] = found[i];
        values[2 * next] = words[2 * i];
        values[2 * next + 1] = words[2 * i + 1];
      }
    }
  }
  return next;
}
