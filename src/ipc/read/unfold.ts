/**
 * Converts run-end encoded values, list views, and views of text and bytes (`Utf8View`, `BinaryView`) to ordinary
 * columns.
 */

import type { Data } from "apache-arrow";
import { isBitSet } from "../../kernels/values/bitmap.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { type GatherBudget, gather } from "./gather.js";

type Integers = Int16Array | Int32Array | BigInt64Array;

/**
 * Unfolds runs to `length` rows.
 * @param ends the exclusive end row of each run. Ends increase, and the last end is `length` or more.
 */
export function unfoldRuns(ends: Data, values: Data, length: number, budget: GatherBudget): Data {
  const name = budget.column;
  if (ends.nullCount > 0) throw new InvalidDataError(`${name} has ${ends.nullCount} run ends that are missing`);
  if (values.length < ends.length) {
    throw new InvalidDataError(`${name} has ${ends.length} runs, ${values.length} values`);
  }
  budget.take(4 * length);
  const rows = new Int32Array(length);
  const given: Integers = ends.values;
  let before = 0;
  for (let run = 0; run < ends.length; run++) {
    const end = Number(given[run]);
    if (end <= before) throw new InvalidDataError(`${name} has the run end ${end} behind ${before}`);
    if (before < length) rows.fill(run, before, Math.min(end, length));
    before = end;
  }
  if (before < length) throw new InvalidDataError(`${name} has runs of ${before} rows, expected ${length}`);
  return gather(values, rows, budget);
}

export interface ListViews {
  readonly starts: Int32Array | BigInt64Array;
  readonly sizes: Int32Array | BigInt64Array;
  /** The validity bitmap; undefined if no list is missing. A missing list may have any start and size. */
  readonly bitmap: Uint8Array | undefined;
}

/** The child of a list, and the cumulative sizes of its lists. */
export interface UnfoldedLists {
  /** A leading 0, then the end of each list. The array is one element longer than the number of lists. */
  readonly ends: Float64Array;
  readonly child: Data;
}

/** Gathers lists from arbitrary positions in `child` so that they are contiguous and in order. */
export function unfoldLists({ starts, sizes, bitmap }: ListViews, child: Data, budget: GatherBudget): UnfoldedLists {
  const { length } = starts;
  const ends = new Float64Array(length + 1);
  const from = new Float64Array(length);
  let inOrder = true;
  for (let i = 0; i < length; i++) {
    const isThere = bitmap === undefined || isBitSet(bitmap, i);
    const [start, size] = isThere ? [Number(starts[i]), Number(sizes[i])] : [0, 0];
    if (start < 0 || size < 0 || start + size > child.length) {
      const list = `${start} to ${start + size}`;
      throw new InvalidDataError(`${budget.column} has the values ${list} in row ${i}, there are ${child.length}`);
    }
    inOrder &&= size === 0 || start === ends[i];
    from[i] = start;
    ends[i + 1] = ends[i] + size;
  }
  if (inOrder) return { ends, child };
  const total = ends[length];
  budget.take(4 * total);
  const rows = new Int32Array(total);
  for (let i = 0; i < length; i++) {
    for (let at = ends[i], item = from[i]; at < ends[i + 1]; at++, item++) rows[at] = item;
  }
  return { ends, child: gather(child, rows, budget) };
}

/** Maximum size in bytes of a value that is stored inside the view. */
const INLINE = 12;
/** Maximum bytes of values after unfolding. Views may share bytes, but unfolded values do not. */
const MAX_BYTES = 2 ** 30;

export interface Views {
  /** 16 bytes per value: its length, followed by either the value itself or its first bytes, buffer and offset. */
  readonly views: Uint8Array;
  readonly buffers: readonly Uint8Array[];
  readonly bigEndian: boolean;
}

export function convertTextViews(
  name: string,
  given: Views,
  length: number,
  validity: Uint8Array | undefined,
): [offsets: Int32Array, bytes: Uint8Array] {
  const { views, bigEndian } = given;
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const isValid = (i: number) => validity === undefined || ((validity[i >> 3] >> (i & 7)) & 1) === 1;
  const offsets = new Int32Array(length + 1);
  let total = 0;
  for (let i = 0; i < length; i++) {
    const size = isValid(i) ? view.getInt32(16 * i, !bigEndian) : 0;
    if (size < 0) throw new InvalidDataError(`${name} has a value of ${size} bytes in row ${i}`);
    total += size;
    if (total > MAX_BYTES) throw new UnsupportedError(`${name} has more than ${MAX_BYTES} bytes in one batch`);
    offsets[i + 1] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < length; i++) {
    const size = offsets[i + 1] - offsets[i];
    const at = 16 * i;
    if (size <= INLINE) bytes.set(views.subarray(at + 4, at + 4 + size), offsets[i]);
    else bytes.set(shared(name, view, at, size, given), offsets[i]);
  }
  return [offsets, bytes];
}

function shared(name: string, view: DataView, at: number, size: number, { buffers, bigEndian }: Views): Uint8Array {
  const [index, start] = [view.getInt32(at + 8, !bigEndian), view.getInt32(at + 12, !bigEndian)];
  const buffer = buffers[index];
  if (buffer === undefined) throw new InvalidDataError(`${name} has a value in buffer ${index} of ${buffers.length}`);
  if (start >= 0 && start + size <= buffer.length) return buffer.subarray(start, start + size);
  throw new InvalidDataError(`${name} has a value up to byte ${start + size} of a buffer of ${buffer.length}`);
}
