/**
 * Reads some rows or columns of a sparse matrix as a coordinate table, such as one gene, one cell, or a thousand
 * scattered cells.
 */

import type { Column } from "../../arrow/column.js";
import { createCheckedMinorColumn, createMinorColumn } from "../../arrow/sparse.js";
import { createStoredColumn, getStoredArrowType } from "../../arrow/stored.js";
import { estimateValueSize, getCoordinateType } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { findOutOfRangeIndex } from "../../kernels/sparse/indices.js";
import { checkIntegers } from "../../kernels/sparse/indptr.js";
import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import {
  allocate,
  createZeros,
  getDecodedSize,
  type IntArray,
  type NumberArray,
  type StoredValues,
  viewAsBytes,
} from "../../model/stored.js";
import { getEntryFieldBytes } from "../plan/matrix-plan.js";
import type { SelectedPlan, SparsePlan } from "../plan/plan.js";
import type { Scan, ScanState } from "./columns.js";
import { hasCheckedIndices } from "./sparse.js";
import { selectMinorBatches } from "./subset.js";
import { type Batch, computeRowsPerBatch } from "./task.js";

/** Number of entries whose indices are searched at a time. */
const BLOCK = 2 ** 20;

/** Maximum distance between two major positions whose pointers are read together. */
const POINTER_GAP = 4096;

/**
 * Positions and coordinates of the entries found so far. `major` stays empty if the major positions must be looked up
 * later.
 */
class Found {
  readonly at: number[] = [];
  readonly minor: number[] = [];
  readonly major: number[] = [];

  clear(): void {
    for (const list of [this.at, this.minor, this.major]) list.length = 0;
  }
}

/**
 * Yields the selected entries among the stored entries [start, end) of `run`, in stored order. If only major positions
 * are selected, only their entries are read. Otherwise all indices are read, but only those chunks of values that
 * contain a selected entry.
 */
export async function* scanSelected(plan: SelectedPlan, run: Scan): AsyncGenerator<Batch> {
  const { kept, ...stored } = plan;
  if (kept === undefined) return yield* scanStored(plan, run);
  const scan = (fields: readonly number[]) => scanStored(stored, { ...run, fields });
  yield* selectMinorBatches(kept, plan.matrix.order === "row" ? 1 : 0, run.fields, scan);
}

/** Yields the selected entries at their stored positions. */
async function* scanStored(plan: SelectedPlan, run: Scan): AsyncGenerator<Batch> {
  const { matrix, minor } = plan;
  if (plan.major !== null && minor === null) return yield* scanMajors(matrix, majorRuns(matrix, plan.major, run), run);
  const byRow = matrix.order === "row";
  const minorSize = matrix.shape[byRow ? 1 : 0];
  const entryBytes = estimateValueSize(getStoredArrowType(matrix.data.type)) + 16;
  const most = computeRowsPerBatch(entryBytes, run.batchBytes);
  const wanted = membership(minor, minorSize);
  const found = new Found();
  let yielded = false;
  for await (const { start, end, major } of runsOf(plan, run)) {
    for (let at = start; at < end; ) {
      const stop = Math.min(end, at + Math.min(BLOCK, most));
      const values = await run.state.rows(matrix.indices, at, stop);
      await runWithLocation({ element: matrix.indices.path }, () => {
        const indices = checkIntegers(values);
        const wrong = collect(indices, at, wanted, found);
        if (wrong >= 0) {
          throw new InvalidDataError(`indices[${at + wrong}] is ${indices[wrong]}, outside 0 … ${minorSize - 1}`);
        }
      });
      if (major !== null) while (found.major.length < found.at.length) found.major.push(major);
      at = stop;
      if (found.at.length < most) continue;
      yield await batchOf(plan, found, run);
      yielded = true;
      found.clear();
    }
  }
  if (found.at.length > 0 || !yielded) yield await batchOf(plan, found, run);
}

/** Returns one byte per position, 1 if it is selected; null selects all positions. */
function membership(positions: readonly number[] | null, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  if (positions === null) return bytes.fill(1);
  for (const position of positions) bytes[position] = 1;
  return bytes;
}

/** Adds the selected entries to `found`. @returns the position of the first out-of-range index, or -1. */
function collect(indices: IntArray, first: number, wanted: Uint8Array, found: Found): number {
  if (indices instanceof Int32Array) return collect32(indices, first, wanted, found);
  for (let i = 0; i < indices.length; i++) {
    const index = Number(indices[i]);
    if (wanted[index] === 0) continue;
    if (!(index >= 0 && index < wanted.length)) return i;
    found.at.push(first + i);
    found.minor.push(index);
  }
  return -1;
}

/**
 * `collect` for Int32Array, the type that nearly all matrices use, because code for a single type of array is faster.
 * An out-of-range index has no byte in `wanted`, so the value that is looked up is not 0.
 */
function collect32(indices: Int32Array, first: number, wanted: Uint8Array, found: Found): number {
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i] >>> 0;
    if (wanted[index] === 0) continue;
    if (index >= wanted.length) return i;
    found.at.push(first + i);
    found.minor.push(index);
  }
  return -1;
}

/**
 * Yields the ranges of entries to search: the entries of each selected major position, or all entries if major
 * positions are not known yet.
 */
async function* runsOf(
  { matrix, major }: SelectedPlan,
  run: Scan,
): AsyncGenerator<MajorRun | (Omit<MajorRun, "major"> & { readonly major: null })> {
  if (major !== null) return yield* majorRuns(matrix, major, run);
  const { start, end } = run;
  if (end > start) yield { start, end, major };
}

async function* majorRuns(
  matrix: SelectedPlan["matrix"],
  major: readonly number[],
  { start, end, state }: Scan,
): AsyncGenerator<MajorRun> {
  const pointers = state.pointers(matrix);
  for (const group of groupsOf(major)) {
    await pointers.seekMajor(group[0], group[group.length - 1] + 1);
    for (const position of group) {
      await pointers.seekMajor(position, position + 1);
      const from = Math.max(start, pointers.block[position - pointers.first]);
      const to = Math.min(end, pointers.block[position - pointers.first + 1]);
      if (from < to) yield { start: from, end: to, major: position };
    }
  }
}

function groupsOf(positions: readonly number[]): number[][] {
  const groups: number[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const position of positions) {
    if (position - last > POINTER_GAP) groups.push([]);
    groups[groups.length - 1].push(position);
    last = position;
  }
  return groups;
}

async function batchOf({ matrix }: SelectedPlan, { at, minor, major }: Found, run: Scan): Promise<Batch> {
  const byRow = matrix.order === "row";
  const [rows, cols] = matrix.shape;
  const columns: Column[] = [];
  for (const field of run.fields) {
    if (field === 2) columns.push(await valuesAt(matrix.data, at, run));
    else if ((field === 0) === byRow) {
      const majors = major.length === at.length ? major : await majorsAt(matrix, at, run);
      columns.push(coordinates(majors, byRow ? rows : cols));
    } else columns.push(coordinates(minor, byRow ? cols : rows));
  }
  return { length: at.length, columns };
}

async function majorsAt(matrix: SelectedPlan["matrix"], at: readonly number[], run: Scan): Promise<number[]> {
  const pointers = run.state.pointers(matrix);
  const majors: number[] = [];
  let local = 0;
  for (const entry of at) {
    if (!(pointers.block.length > 0 && pointers.block[0] <= entry && entry < pointers.lastPointer)) {
      await pointers.seek(entry);
      local = 0;
    }
    if (pointers.block[local] > entry) local = 0;
    while (pointers.block[local + 1] <= entry) local++;
    majors.push(pointers.first + local);
  }
  return majors;
}

function coordinates(positions: readonly number[], size: number): Column {
  const type = getCoordinateType(size);
  const values = type.bits === 64 ? BigInt64Array.from(positions, BigInt) : Int32Array.from(positions);
  return { layout: "primitive", type, length: positions.length, validity: null, values };
}

/** Reads the values at the positions `at`. Chunks without selected values are not read. */
async function valuesAt(data: SelectedPlan["matrix"]["data"], at: readonly number[], run: Scan): Promise<Column> {
  const chunk = data.chunks?.[0] ?? POINTER_GAP;
  let out: NumberArray | null = null;
  for (let from = 0; from < at.length; ) {
    let to = from + 1;
    while (to < at.length && at[to] - at[to - 1] <= chunk && at[to] - at[from] < BLOCK) to++;
    const first = at[from];
    const read = await run.state.rows(data, first, at[to - 1] + 1);
    if (read.kind !== "fixed") throw new InvalidDataError("sparse values are no numbers", { element: data.path });
    const { values } = read;
    const per = values.length / (at[to - 1] + 1 - first);
    out ??= createZeros(values, at.length * per);
    for (let i = from; i < to; i++) {
      const source = (at[i] - first) * per;
      for (let k = 0; k < per; k++) out[i * per + k] = values[source + k];
    }
    from = to;
  }
  const values = out ?? (await emptyValues(data, run));
  return runWithLocation({ element: data.path }, () =>
    createStoredColumn(data.type, { kind: "fixed", values }, at.length, run.state.text),
  );
}

async function emptyValues(data: SelectedPlan["matrix"]["data"], run: Scan): Promise<NumberArray> {
  const none = await run.state.rows(data, 0, 0);
  if (none.kind !== "fixed") throw new InvalidDataError("sparse values are no numbers", { element: data.path });
  return none.values;
}

/** Stored entries [start, end) of one major position. */
interface MajorRun {
  readonly start: number;
  readonly end: number;
  readonly major: number;
}

/** Yields the entries of all `runs` in batches, at least one batch. */
async function* scanMajors(matrix: SparsePlan, runs: AsyncIterable<MajorRun>, run: Scan): AsyncGenerator<Batch> {
  const entryBytes = run.fields.reduce((sum, field) => sum + getEntryFieldBytes(matrix, field), 0);
  const most = computeRowsPerBatch(entryBytes, run.batchBytes);
  let waiting: MajorRun[] = [];
  let count = 0;
  let yielded = false;
  for await (const { end, major, ...next } of runs) {
    for (let start = next.start; start < end; ) {
      const stop = Math.min(end, start + most - count);
      waiting.push({ start, end: stop, major });
      count += stop - start;
      start = stop;
      if (count < most) continue;
      yield await majorBatch(matrix, waiting, count, run);
      yielded = true;
      waiting = [];
      count = 0;
    }
  }
  if (count > 0 || !yielded) yield await majorBatch(matrix, waiting, count, run);
}

async function majorBatch(
  matrix: SparsePlan,
  runs: readonly MajorRun[],
  length: number,
  { fields, state }: Scan,
): Promise<Batch> {
  const { order, shape, data, indices } = matrix;
  const byRow = order === "row";
  const [majorSize, minorSize] = byRow ? shape : [shape[1], shape[0]];
  const columns: Column[] = [];
  for (const field of fields) {
    if (field === 2) {
      const values = await gathered(data, runs, length, state);
      columns.push(
        await runWithLocation({ element: data.path }, () => createStoredColumn(data.type, values, length, state.text)),
      );
    } else if ((field === 0) === byRow) columns.push(majors(runs, length, majorSize));
    else {
      const values = checkIntegers(await gathered(indices, runs, length, state));
      const checked = hasCheckedIndices(indices, minorSize);
      if (!checked) await runWithLocation({ element: indices.path }, () => checkIndices(values, runs, minorSize));
      columns.push(checked ? createCheckedMinorColumn(values, minorSize) : createMinorColumn(values, minorSize, 0));
    }
  }
  return { length, columns };
}

/**
 * Checks the indices of all entries in `runs`.
 * @throws {InvalidDataError} if an index is outside [0, size).
 */
function checkIndices(values: IntArray, runs: readonly MajorRun[], size: number): void {
  let at = findOutOfRangeIndex(values, size);
  if (at < 0) return;
  const found = values[at];
  for (const { start, end } of runs) {
    if (at < end - start) throw new InvalidDataError(`indices[${start + at}] is ${found}, outside 0 … ${size - 1}`);
    at -= end - start;
  }
}

function majors(runs: readonly MajorRun[], length: number, size: number): Column {
  const type = getCoordinateType(size);
  const values = type.bits === 64 ? new BigInt64Array(length) : new Int32Array(length);
  let at = 0;
  for (const { start, end, major } of runs) {
    if (values instanceof Int32Array) values.fill(major, at, at + end - start);
    else values.fill(BigInt(major), at, at + end - start);
    at += end - start;
  }
  return { layout: "primitive", type, length, validity: null, values };
}

/** Reads the values of all runs into one array. Adjacent runs are read together. */
async function gathered(
  array: StoredArray,
  runs: readonly MajorRun[],
  length: number,
  state: ScanState,
): Promise<StoredValues> {
  const size = getDecodedSize(array.type);
  if (size === null || array.type.kind === "record" || array.type.kind === "unsupported") {
    throw new InvalidDataError("sparse values are no numbers", { element: array.path });
  }
  const values = allocate(array.type, length);
  const target = viewAsBytes(values);
  let at = 0;
  for (let first = 0, next = 0; first < runs.length; first = next) {
    for (next = first + 1; next < runs.length && runs[next].start === runs[next - 1].end; ) next++;
    const { start } = runs[first];
    const { end } = runs[next - 1];
    const bytes = target.subarray(at * size, (at + end - start) * size);
    // Arrays with chunks are read through the state, which caches a decoded chunk for the next range.
    if (array.chunks === null && array.readInto !== undefined) await array.readInto(start, end, bytes, state.options);
    else {
      const read = await state.rows(array, start, end);
      if (read.kind !== "fixed") throw new InvalidDataError("sparse values are no numbers", { element: array.path });
      bytes.set(viewAsBytes(read.values));
    }
    at += end - start;
  }
  return { kind: "fixed", values };
}
