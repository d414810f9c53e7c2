/**
 * The order in which wanted rows are copied from an array in one pass: block by block, and in the wanted order within
 * each block. Any range of wanted rows is then contiguous within each block.
 */

import { type RowRanges, runAt, runLength } from "./row-ranges.js";

/** Ranges of selected rows, each within one block. */
export interface BatchOrder {
  /** Number of array rows per block; the last block may have fewer. */
  readonly blockRows: number;
  /** The position of each range's first row in the array. */
  readonly sources: Float64Array;
  /** The cumulative number of selected rows after each range. */
  readonly ends: Float64Array;
  /** The position of each range's first row among the copied rows. */
  readonly places: Float64Array;
  /** The numbers of the ranges, sorted by block. The numbers for block i are at [`starts[i]`, `starts[i + 1]`). */
  readonly byBlock: Int32Array;
  readonly starts: Int32Array;
}

/** @param height the number of rows in the array. */
export function computeBatchOrder(rows: RowRanges, blockRows: number, height: number): BatchOrder {
  const { sources, ends } = cutAtBlocks(rows, blockRows);
  const blocks = Math.ceil(height / blockRows);
  const starts = new Int32Array(blocks + 1);
  for (const source of sources) starts[Math.floor(source / blockRows) + 1]++;
  for (let block = 0; block < blocks; block++) starts[block + 1] += starts[block];
  const next = starts.slice();
  const byBlock = new Int32Array(sources.length);
  for (let run = 0; run < sources.length; run++) byBlock[next[Math.floor(sources[run] / blockRows)]++] = run;
  const places = new Float64Array(sources.length);
  let place = 0;
  for (const run of byBlock) {
    places[run] = place;
    place += runLength(ends, run);
  }
  return { blockRows, sources, ends, places, byBlock, starts };
}

function cutAtBlocks({ starts, ends }: RowRanges, blockRows: number): Pick<BatchOrder, "sources" | "ends"> {
  let count = 0;
  for (let run = 0; run < starts.length; run++) {
    const last = starts[run] + runLength(ends, run) - 1;
    count += Math.floor(last / blockRows) - Math.floor(starts[run] / blockRows) + 1;
  }
  const cut = { sources: new Float64Array(count), ends: new Float64Array(count) };
  for (let run = 0, at = 0, total = 0; run < starts.length; run++) {
    const end = starts[run] + runLength(ends, run);
    for (let row = starts[run]; row < end; at++) {
      const stop = Math.min(end, (Math.floor(row / blockRows) + 1) * blockRows);
      total += stop - row;
      cut.sources[at] = row;
      cut.ends[at] = total;
      row = stop;
    }
  }
  return cut;
}

/** A part [start, end) of the selected rows, and its location among the copied rows. */
export interface OrderedRange {
  readonly start: number;
  readonly end: number;
  readonly place: number;
  readonly block: number;
}

/** Yields the pieces of the selected rows [start, end), in order. */
export function* listOrderedRanges(
  { blockRows, sources, ends, places }: BatchOrder,
  start: number,
  end: number,
): Generator<OrderedRange> {
  let run = runAt(ends, start);
  for (let at = start; at < end; run++) {
    const stop = Math.min(end, ends[run]);
    const skipped = at - (ends[run] - runLength(ends, run));
    yield { start: at, end: stop, place: places[run] + skipped, block: Math.floor(sources[run] / blockRows) };
    at = stop;
  }
}
