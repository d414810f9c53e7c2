/**
 * Represents lists of rows as ranges: `0:1000` is one range, while a list of the entries in some cells has one range
 * per cell.
 */

import { InvalidInputError } from "../../model/errors.js";

/** Rows of an array, in any order and with repetitions. */
export interface RowRanges {
  /** The first row of each range. */
  readonly starts: Float64Array;
  /** The cumulative number of rows up to the end of each range. */
  readonly ends: Float64Array;
}

/** Returns the ranges of `positions`, which may be unordered and contain repetitions. */
export function toRowRanges(positions: ArrayLike<number>): RowRanges {
  let runs = 0;
  for (let i = 0; i < positions.length; i++) if (i === 0 || positions[i] !== positions[i - 1] + 1) runs++;
  const starts = new Float64Array(runs);
  const ends = new Float64Array(runs);
  for (let i = 0, run = -1; i < positions.length; i++) {
    if (i === 0 || positions[i] !== positions[i - 1] + 1) starts[++run] = positions[i];
    ends[run] = i + 1;
  }
  return { starts, ends };
}

/** Returns the ranges [from[i], to[i]). Drops empty ranges, and merges consecutive ones. */
export function joinRowRanges(from: ArrayLike<number>, to: ArrayLike<number>): RowRanges {
  const starts = new Float64Array(from.length);
  const ends = new Float64Array(from.length);
  let runs = 0;
  let total = 0;
  let last = -1;
  for (let i = 0; i < from.length; i++) {
    if (to[i] <= from[i]) continue;
    total += to[i] - from[i];
    if (runs === 0 || from[i] !== last) starts[runs++] = from[i];
    ends[runs - 1] = total;
    last = to[i];
  }
  return { starts: starts.slice(0, runs), ends: ends.slice(0, runs) };
}

/** Returns the total number of rows. */
export function countRangeRows({ ends }: Pick<RowRanges, "ends">): number {
  return rowsBefore(ends, ends.length);
}

/** Returns the total number of rows before a range. */
function rowsBefore(ends: Float64Array, run: number): number {
  return run === 0 ? 0 : ends[run - 1];
}

export function runLength(ends: Float64Array, run: number): number {
  return ends[run] - rowsBefore(ends, run);
}

/** @throws {InvalidInputError} if [start, end) is not a range within `count` rows. */
export function checkRows(start: number, end: number, count: number, element: string): void {
  if (start >= 0 && start <= end && end <= count) return;
  throw new InvalidInputError(`rows ${start} to ${end} of ${count}`, { element });
}

/** Returns the rows [start, end) of the list as row positions in the array. */
export function listRowPositions({ starts, ends }: RowRanges, start: number, end: number): Float64Array {
  const rows = new Float64Array(end - start);
  let run = runAt(ends, start);
  for (let at = start; at < end; run++) {
    const stop = Math.min(end, ends[run]);
    const first = starts[run] - rowsBefore(ends, run);
    for (; at < stop; at++) rows[at - start] = first + at;
  }
  return rows;
}

/** Ranges of rows, ordered by their first rows. */
export interface OrderedRowRanges {
  readonly count: number;
  /** The first row of each range. */
  readonly rows: Float64Array;
  readonly lengths: Float64Array;
  /** The position of each range's first row among the requested rows. */
  readonly places: Float64Array;
}

/** Splits the rows [start, end) of the list into pieces that do not cross multiples of `block` rows of the array. */
export function splitRisingRanges(runs: RowRanges, start: number, end: number, block: number): OrderedRowRanges {
  const cut: number[] = [];
  let rises = true;
  let last = 0;
  let run = start < end ? runAt(runs.ends, start) : 0;
  for (let at = start; at < end; run++) {
    const stop = Math.min(end, runs.ends[run]);
    const offset = runs.starts[run] - rowsBefore(runs.ends, run);
    while (at < stop) {
      const row = offset + at;
      const length = Math.min(stop - at, block - (row % block));
      if (row < last) rises = false;
      last = row;
      cut.push(row, length, at - start);
      at += length;
    }
  }
  const count = cut.length / 3;
  const order = rises ? null : Uint32Array.from({ length: count }, (_, i) => i);
  order?.sort((a, b) => cut[3 * a] - cut[3 * b]);
  const pieces = {
    count,
    rows: new Float64Array(count),
    lengths: new Float64Array(count),
    places: new Float64Array(count),
  };
  for (let i = 0; i < count; i++) {
    const from = 3 * (order?.[i] ?? i);
    pieces.rows[i] = cut[from];
    pieces.lengths[i] = cut[from + 1];
    pieces.places[i] = cut[from + 2];
  }
  return pieces;
}

/**
 * Maximum number of chunks that are counted, at one byte per chunk. The shape in a file can declare any number of
 * chunks.
 */
const MAX_CHUNKS = 2 ** 24;

/**
 * Returns the number of rows, out of `height`, in all chunks that contain listed rows; 0 if there are too many chunks.
 */
export function countRowsInChunks({ starts, ends }: RowRanges, chunk: number, height: number): number {
  if (height / chunk > MAX_CHUNKS) return 0;
  const isHeld = new Uint8Array(Math.ceil(height / chunk));
  let chunks = 0;
  for (let i = 0; i < starts.length; i++) {
    const length = runLength(ends, i);
    const last = Math.floor((starts[i] + length - 1) / chunk);
    for (let at = Math.floor(starts[i] / chunk); at <= last; at++) {
      chunks += 1 - isHeld[at];
      isHeld[at] = 1;
    }
  }
  return chunks * chunk;
}

/** Returns the array position of list row `start`; null if the list rows [start, end) are not one contiguous range. */
export function findRangeStart({ starts, ends }: RowRanges, start: number, end: number): number | null {
  const run = runAt(ends, start);
  return run < ends.length && end <= ends[run] ? starts[run] + start - rowsBefore(ends, run) : null;
}

/** Returns the first range that ends after `row`. */
export function runAt(ends: Float64Array, row: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle] <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Converts the list `inner`, which refers to rows of the list `outer`, to rows of the array. */
export function composeRowRanges(outer: RowRanges, inner: RowRanges): RowRanges {
  const from: number[] = [];
  const to: number[] = [];
  for (let i = 0; i < inner.starts.length; i++) {
    const end = inner.starts[i] + runLength(inner.ends, i);
    let run = runAt(outer.ends, inner.starts[i]);
    for (let at = inner.starts[i]; at < end; run++) {
      const stop = Math.min(end, outer.ends[run]);
      const first = outer.starts[run] - rowsBefore(outer.ends, run);
      from.push(first + at);
      to.push(first + stop);
      at = stop;
    }
  }
  return joinRowRanges(from, to);
}
