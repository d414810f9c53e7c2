/**
 * Where the fragments of a chromosome that overlap a range can lie. What a store says of ends (`end_max`) is too low in
 * some that BPCells' R package makes, so it is not asked. Of packed arrays the widths of chunks tell how long fragments
 * can be, which no store gets wrong, since they are what the lengths are unpacked by; of plain ones all ends are read.
 */

import type { StoredArray } from "../../containers/tree/container.js";
import { CHUNK } from "../../kernels/bp128/page.js";
import { InvalidDataError } from "../../model/errors.js";
import type { FragmentChunks, FragmentRun, FragmentsPlan } from "../plan/plan.js";
import type { Range } from "../plan/ranges.js";
import type { ScanState } from "../rows/columns.js";

/** Chunks whose positions lie in memory at once. */
const CHUNKS = 2 ** 14;

/** Plain values that are looked at together. */
const BLOCK = 2 ** 16;

/** Reading so many more of them costs less than to find out where they end. */
const NEAR = 2 ** 12;

/** Words of a chunk whose values are not packed: its first start means nothing. */
const RAW = CHUNK;

/** Ranges of the arrays, within `run`, that hold all fragments that overlap `range`; and others. */
export function candidates(
  plan: FragmentsPlan,
  run: FragmentRun,
  range: Range,
  state: ScanState,
): AsyncGenerator<Range> {
  return plan.chunks === null ? byEnds(plan, run, range, state) : byChunks(plan.chunks, run, range, state);
}

async function* byChunks(
  { firstStarts, startIdx, endIdx }: FragmentChunks,
  run: FragmentRun,
  [start, end]: Range,
  state: ScanState,
): AsyncGenerator<Range> {
  const stop = Math.ceil(run.end / CHUNK);
  let open: [from: number, to: number] | null = null;
  for (let first = Math.floor(run.start / CHUNK); first < stop; first += CHUNKS) {
    const count = Math.min(CHUNKS, stop - first);
    // The begin of one more chunk tells how far the starts of the last can go.
    const looked = Math.min(count + 1, (firstStarts.shape?.[0] ?? 0) - first);
    const begins = await words(firstStarts, first, first + looked, state);
    const startWords = await words(startIdx, first, first + looked + 1, state);
    const endWords = await words(endIdx, first, first + count + 1, state);
    /** The first start of a chunk that begins on this chromosome. */
    const beginOf = (i: number): number | null => {
      const at = (first + i) * CHUNK;
      const known = at >= run.start && at < run.end && (startWords[i + 1] - startWords[i]) >>> 0 < RAW;
      return known ? begins[i] : null;
    };
    for (let i = 0; i < count; i++) {
      const begin = beginOf(i);
      if (begin !== null && begin >= end) {
        if (open !== null) yield open;
        return;
      }
      const from = Math.max(run.start, (first + i) * CHUNK);
      const to = Math.min(run.end, (first + i + 1) * CHUNK);
      const next = beginOf(i + 1);
      const width = ((endWords[i + 1] - endWords[i]) >>> 0) / 4;
      if (next !== null && width < 32 && next + 2 ** width - 1 <= start) continue;
      if (open !== null && open[1] === from) open[1] = to;
      else {
        if (open !== null) yield open;
        open = [from, to];
      }
    }
  }
  if (open !== null) yield open;
}

async function* byEnds(plan: FragmentsPlan, run: FragmentRun, [start, end]: Range, state: ScanState) {
  // Starts never decrease, so those beyond the range need not be looked at: `stop` is at or behind the first one.
  let low = run.start;
  let stop = run.end;
  while (stop - low > NEAR) {
    const middle = Math.floor((low + stop) / 2);
    const [value] = await words(plan.start, middle, middle + 1, state);
    if (value < end) low = middle + 1;
    else stop = middle;
  }
  for (let at = run.start; at < stop; at += BLOCK) {
    const to = Math.min(stop, at + BLOCK);
    const ends = await words(plan.end, at, to, state);
    let first = 0;
    while (first < ends.length && ends[first] <= start) first++;
    let last = ends.length;
    while (last > first && ends[last - 1] <= start) last--;
    if (first < last) yield [at + first, at + last] as const;
  }
}

async function words(array: StoredArray, from: number, to: number, state: ScanState): Promise<Uint32Array> {
  const read = await state.rows(array, from, to);
  if (read.kind === "fixed" && read.values instanceof Uint32Array) return read.values;
  throw new InvalidDataError("no unsigned 32-bit integers", { element: array.path });
}
