/** Scans dense matrices in coordinate layout: `row, col, value` of the nonzeros. */

import type { Column } from "../../arrow/column.js";
import { createStoredColumn } from "../../arrow/stored.js";
import { type ArrowInt, getCoordinateType } from "../../arrow/type.js";
import type { BoxChunk, StoredArray } from "../../containers/tree/container.js";
import { type ValueSize, viewAsWords } from "../../kernels/sparse/non-zero-list.js";
import { InvalidInputError, runWithLocation } from "../../model/errors.js";
import { getDecodedSize, viewAsBytes, viewAsNumbers } from "../../model/stored.js";
import type { NonZerosPlan } from "../plan/plan.js";
import { clipRanges, joinCloseRanges, type Range, toPositionRanges } from "../plan/ranges.js";
import type { Scan } from "./columns.js";
import { NonZeroCollector } from "./non-zero-collector.js";
import { type Batch, computeRowsPerBatch } from "./task.js";

/**
 * Yields the selected non-zeros of the matrix rows [first, end), in row order. Table rows are counted during the scan,
 * and the start and end of `run` refer to this count.
 */
export async function* scanNonZeros(plan: NonZerosPlan, [first, end]: Range, run: Scan): AsyncGenerator<Batch> {
  const { array } = plan;
  const [, width] = array.shape ?? [];
  const selected = { rows: plan.row && toPositionRanges(plan.row), cols: plan.col && toPositionRanges(plan.col) };
  const size = valueSize(array);
  // A matrix without columns can declare any number of rows, so its rows are not scanned.
  const last = width === 0 ? first : end;
  const most = Math.max(1, Math.floor(run.batchBytes / (8 + size)));
  const bandRows = computeRowsPerBatch((plan.col?.length ?? width) * size * 3, run.batchBytes);
  const band = run.state.nonZeros(array, () => new NonZeroCollector(size));
  const scan: NonZeroScan = { array, band, selected, run };
  let seen = 0;
  let yielded = false;
  for (let at = first; at < last && seen < run.end; ) {
    const rows = nextBand(array, selected.rows, [at, last], bandRows);
    if (rows === null) break;
    await readBand(scan, rows);
    const counts = band.finish();
    for (let row = 0; row < counts.length && seen < run.end; ) {
      let next = row;
      let count = 0;
      while (next < counts.length && (next === row || count + counts[next] <= most)) count += counts[next++];
      const entries = takeEntries(scan, counts, { first: rows[0], rows: [row, next], count });
      row = next;
      // A row can have more entries than a batch.
      const to = Math.min(count, run.end - seen);
      for (let from = Math.max(0, run.start - seen); from < to; from += most) {
        yield await batchOf(scan, entries, [from, Math.min(to, from + most)]);
        yielded = true;
      }
      seen += count;
    }
    at = band.end;
  }
  if (!yielded) yield await batchOf(scan, noEntries(), [0, 0]);
}

/** A scan of the nonzeros of `array`, which are gathered by `band`. */
interface NonZeroScan {
  readonly array: StoredArray;
  readonly band: NonZeroCollector;
  readonly selected: Selected;
  readonly run: Scan;
}

interface Selected {
  readonly rows: readonly Range[] | null;
  readonly cols: readonly Range[] | null;
}

/** Returns the next band of rows, which starts and ends with a selected row; null if no selected rows remain. */
function nextBand(
  array: StoredArray,
  rows: readonly Range[] | null,
  [at, last]: Range,
  bandRows: number,
): Range | null {
  const [first] = clipRanges(rows, at, last);
  if (first === undefined) return null;
  const [from] = first;
  const chunk = array.capabilities?.blocks === undefined ? 1 : (array.chunks?.[0] ?? 1);
  const step = Math.max(1, Math.floor(bandRows / chunk)) * chunk;
  const end = Math.min(last, from - (from % chunk) + step);
  return [from, [...clipRanges(rows, from, end)].at(-1)?.[1] ?? end];
}

async function readBand({ array, band, selected, run }: NonZeroScan, [from, to]: Range): Promise<void> {
  const [, width] = array.shape ?? [];
  const { rows, cols } = selected;
  const { state } = run;
  band.begin(from, to);
  const { blocks } = array.capabilities ?? {};
  if (blocks !== undefined) {
    // `state.rows`, which reads all other arrays, pauses by itself; this branch does not use it.
    await state.pause();
    for (const range of cols === null ? [[0, width] as const] : joinCloseRanges(cols, array.chunks?.[1] ?? 1)) {
      const box = { rows: [from, band.end], cols: range } as const;
      let absent = (box.rows[1] - box.rows[0]) * (box.cols[1] - box.cols[0]);
      const visit = (block: BoxChunk) => {
        absent -= block.rows * block.cols;
        band.add(block, rows, cols);
      };
      await blocks(box, visit, state.options);
      // Blocks that are not stored are not visited.
      state.unwritten(array)?.(Math.max(0, absent) * (getDecodedSize(array.type) ?? 1));
    }
    return;
  }
  for (const [row, end] of clipRanges(rows, from, to)) {
    const read = await state.rows(array, row, end);
    if (read.kind !== "fixed") throw new InvalidInputError("only numbers have a coordinate table");
    const bytes = viewAsBytes(read.values);
    band.add({ row, col: 0, rows: end - row, cols: width, stride: width, bytes }, null, cols);
  }
}

interface Entries {
  /** Offset to add to each value of `row`, for an axis longer than 2^31. */
  readonly first: number;
  readonly row: Int32Array;
  readonly col: Int32Array;
  readonly value: Uint8Array;
}

/** Makes new arrays for each call, because batches are transferred to other threads together with their memory. */
function noEntries(): Entries {
  return { first: 0, row: new Int32Array(0), col: new Int32Array(0), value: new Uint8Array(0) };
}

/** A range of rows, relative to row `first` of a band, and the number of entries in the range. */
interface CountedRows {
  readonly first: number;
  readonly rows: Range;
  readonly count: number;
}

function takeEntries(
  { band, run: { state } }: NonZeroScan,
  counts: Int32Array,
  { first, rows: [from, to], count }: CountedRows,
): Entries {
  const integers = () => {
    const { buffer, byteOffset } = state.take(4 * count);
    return new Int32Array(buffer, byteOffset, count);
  };
  const [row, col, value] = [integers(), integers(), state.take(band.size * count)];
  const isLong = first + to > 2 ** 31;
  for (let i = from, at = 0; i < to; at += counts[i++]) row.fill(isLong ? i : first + i, at, at + counts[i]);
  band.take([first + from, first + to], col, viewAsWords(value, band.size));
  return { first: isLong ? first : 0, row, col, value };
}

async function batchOf(
  { array, run: { fields, state } }: NonZeroScan,
  { first, row, col, value }: Entries,
  [from, to]: Range,
): Promise<Batch> {
  const [height, width] = array.shape ?? [];
  const length = to - from;
  const size = getDecodedSize(array.type) ?? 1;
  // A copy: batches that share memory could not move to another thread.
  const part = (whole: Int32Array) => (length === whole.length ? whole : whole.slice(from, to));
  const columns: Column[] = [];
  for (const field of fields) {
    if (field === 0) columns.push(coordinates(getCoordinateType(height), part(row), first));
    else if (field === 1) columns.push(coordinates(getCoordinateType(width), part(col), 0));
    else {
      const values = viewAsNumbers(
        array.type,
        length * size === value.length ? value : value.slice(from * size, to * size),
      );
      columns.push(
        await runWithLocation({ element: array.path }, () =>
          createStoredColumn(array.type, { kind: "fixed", values }, length, state.text),
        ),
      );
    }
  }
  return { length, columns };
}

/** Makes a column of positions. For an axis longer than 2^31, `first` is added to each position. */
function coordinates(type: ArrowInt, positions: Int32Array, first: number): Column {
  const { length } = positions;
  if (type.bits === 64) {
    const values = BigInt64Array.from(positions, (position) => BigInt(first + position));
    return { layout: "primitive", type, length, validity: null, values };
  }
  return { layout: "primitive", type, length, validity: null, values: positions };
}

function valueSize(array: StoredArray): ValueSize {
  const size = getDecodedSize(array.type);
  if (size === 1 || size === 2 || size === 4 || size === 8) return size;
  throw new InvalidInputError("only numbers have a coordinate table");
}
