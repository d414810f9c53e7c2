/** Filters fragments of stored arrays by a range, by cells, or by both, and yields them as batches. */

import { CELL, CHR, END, START } from "../../arrow/fragments.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { CHUNK } from "../../kernels/bp128/page.js";
import { selectByName, selectOverlapping } from "../../kernels/fragments/fragments.js";
import { InvalidDataError } from "../../model/errors.js";
import type { FragmentChunks, FragmentFilter, FragmentRange, FragmentsPlan } from "../plan/plan.js";
import type { Range } from "../plan/ranges.js";
import type { Scan, ScanState } from "../rows/columns.js";
import { type Batch, computeRowsPerBatch } from "../rows/task.js";
import {
  type FieldValues,
  FragmentCollector,
  type FragmentGroup,
  pickFieldValues,
  renumberCells,
} from "./fragment-collector.js";
import { FragmentReader } from "./reader.js";

/** Number of fragments, or of uncompressed values, that are searched at a time. */
const BLOCK = 2 ** 16;

/** Maximum gap between two fragments of selected cells whose starts and ends are read together. */
const GAP = 2 ** 12;

const NONE = new Uint32Array(0);

/** Yields the fragments that `only` selects, in array order, and reads as few other fragments as possible. */
export async function* scanFiltered(plan: FragmentsPlan, only: FragmentFilter, run: Scan): AsyncGenerator<Batch> {
  const { fields, state } = run;
  const [chr, cell] = await Promise.all([state.names(plan.chrNames), state.names(plan.cellNames)]);
  const most = computeRowsPerBatch(4 * fields.length, run.batchBytes);
  const pieces = new FragmentCollector(fields, { chr, cell }, most);
  const reader = new FragmentReader(plan, state);
  const wanted = only.cells && createMembershipMask(only.cells, plan.picked?.ids.length ?? cell.length);
  const step = Math.min(BLOCK, most);
  for (const one of plan.runs) {
    const look = { reader, chr: one.chr, fields, range: only.range, wanted, ids: plan.picked?.ids ?? null };
    for await (const [from, to] of placesOf(plan, one, only, run)) {
      for (let at = from; at < to; at += step) {
        const block: Range = [at, Math.min(to, at + step)];
        for await (const piece of only.range === null ? byCell(look, block) : byRange(look, block)) {
          yield* pieces.add(piece);
        }
      }
    }
  }
  yield* pieces.rest();
}

async function* placesOf(plan: FragmentsPlan, run: FragmentRange, { range }: FragmentFilter, { state }: Scan) {
  if (range === null) yield [run.start, run.end] as const;
  else yield* candidates(plan, run, range, state);
}

/** Returns one byte per cell, 1 for selected cells. */
export function createMembershipMask(cells: readonly number[], count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (const cell of cells) bytes[cell] = 1;
  return bytes;
}

interface Look {
  readonly reader: FragmentReader;
  readonly chr: number;
  readonly fields: readonly number[];
  readonly range: Range | null;
  readonly wanted: Uint8Array | null;
  /** New indices of cells; null if cells keep their indices. */
  readonly ids: Int32Array | null;
}

async function* byRange(
  { reader, chr, fields, range, wanted, ids }: Look,
  [from, to]: Range,
): AsyncGenerator<FragmentGroup> {
  const [start, stop] = range ?? [0, 0];
  const { starts, ends } = await reader.positions(from, to, true);
  const at = new Uint32Array(to - from + 1);
  let count = selectOverlapping(starts, ends, start, stop, at);
  if (count === 0) return;
  const needed = wanted !== null || fields.includes(CELL);
  const cells = needed ? await reader.cells(from, to) : new Int32Array(0);
  if (wanted !== null) count = selectByName(cells, wanted, at, count);
  yield pieceOf({ fields, chr, ids }, at.subarray(0, count), { starts, ends, cells });
}

async function* byCell({ reader, chr, fields, wanted, ids }: Look, [from, to]: Range): AsyncGenerator<FragmentGroup> {
  if (wanted === null) return;
  const cells = await reader.cells(from, to);
  const all = Uint32Array.from({ length: to - from }, (_, i) => i);
  const at = all.subarray(0, selectByName(cells, wanted, all, all.length));
  for (let i = 0; i < at.length; ) {
    let next = i + 1;
    while (next < at.length && at[next] - at[next - 1] <= GAP) next++;
    const [first, end] = [at[i], at[next - 1] + 1];
    const withEnds = fields.includes(END);
    const { starts, ends } =
      withEnds || fields.includes(START)
        ? await reader.positions(from + first, from + end, withEnds)
        : { starts: NONE, ends: NONE };
    const own = at.subarray(i, next).map((position) => position - first);
    yield pieceOf({ fields, chr, ids }, own, { starts, ends, cells: cells.subarray(first, end) });
    i = next;
  }
}

interface FragmentValues {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly cells: Int32Array;
}

/** Returns the fragments at the positions `at`, all on the chromosome `chr`. */
function pieceOf(
  { fields, chr, ids }: Pick<Look, "fields" | "chr" | "ids">,
  at: Uint32Array,
  { starts, ends, cells }: FragmentValues,
): FragmentGroup {
  const values = fields.map((field): FieldValues => {
    if (field === CHR) return new Int32Array(at.length).fill(chr);
    if (field === CELL) return renumberCells(pickFieldValues(cells, at), ids);
    return pickFieldValues(field === START ? starts : ends, at);
  });
  return { length: at.length, values };
}

/** Maximum number of chunks whose first starts and bit widths are in memory at once. */
const CHUNKS = 2 ** 14;

/** Maximum number of starts that are read as a whole. One more step of the binary search would take longer. */
const NEAR = 2 ** 12;

/** Number of words of a chunk that is stored unpacked; such a chunk has no first start. */
const RAW = CHUNK;

/**
 * Yields ranges of the arrays, within `run`, that contain all fragments overlapping `range`, and possibly other
 * fragments. The store's own index of ends, `end_max`, is not used, because its values are too small in some stores
 * written by BPCells' R package. Instead, a packed chunk's bit width bounds the fragment lengths. The bit width cannot
 * be wrong, because it is used to unpack the lengths. For unpacked arrays, all ends are read.
 */
function candidates(plan: FragmentsPlan, run: FragmentRange, range: Range, state: ScanState): AsyncGenerator<Range> {
  return plan.chunks === null ? byEnds(plan, run, range, state) : byChunks(plan.chunks, run, range, state);
}

async function* byChunks(
  { firstStarts, startIdx, endIdx }: FragmentChunks,
  run: FragmentRange,
  [start, end]: Range,
  state: ScanState,
): AsyncGenerator<Range> {
  const stop = Math.ceil(run.end / CHUNK);
  let open: [from: number, to: number] | null = null;
  for (let first = Math.floor(run.start / CHUNK); first < stop; first += CHUNKS) {
    const count = Math.min(CHUNKS, stop - first);
    // The first start of the next chunk bounds the starts of the last chunk.
    const looked = Math.min(count + 1, (firstStarts.shape?.[0] ?? 0) - first);
    const begins = await words(firstStarts, first, first + looked, state);
    const startWords = await words(startIdx, first, first + looked + 1, state);
    const endWords = await words(endIdx, first, first + count + 1, state);
    /** Returns the first start in a chunk; null if the chunk is unpacked or begins on another chromosome. */
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

async function* byEnds(plan: FragmentsPlan, run: FragmentRange, [start, end]: Range, state: ScanState) {
  // Starts never decrease, so a binary search can find `stop`. Every fragment after `stop` begins at or beyond the end
  // of the range.
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
