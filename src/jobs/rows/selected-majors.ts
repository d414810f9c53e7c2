/** Whole rows of a CSR matrix, or columns of a CSC one, here and there: nothing but their entries is read. */

import type { Column } from "../../arrow/column.js";
import { checkedMinorColumn, minorColumn } from "../../arrow/sparse.js";
import { storedColumn } from "../../arrow/stored.js";
import { coordinateType } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { firstOutside } from "../../kernels/sparse/indices.js";
import { InvalidDataError, located } from "../../model/errors.js";
import { allocate, bytesOf, decodedSize, type IntArray, type StoredValues } from "../../model/stored.js";
import type { SparsePlan } from "../plan/plan.js";
import { type Batch, rowsOf } from "./batch.js";
import type { Scan, ScanState } from "./columns.js";
import { integers } from "./pointers.js";
import { areChecked, entryFieldBytes } from "./sparse.js";

/** Stored entries [start, end) of one major position. */
export interface MajorRun {
  readonly start: number;
  readonly end: number;
  readonly major: number;
}

/** The entries of all `runs` in batches, at least one. */
export async function* scanMajors(matrix: SparsePlan, runs: AsyncIterable<MajorRun>, run: Scan): AsyncGenerator<Batch> {
  const entryBytes = run.fields.reduce((sum, field) => sum + entryFieldBytes(matrix, field), 0);
  const most = rowsOf(entryBytes, run.batchBytes);
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
      yield await batchOf(matrix, waiting, count, run);
      yielded = true;
      waiting = [];
      count = 0;
    }
  }
  if (count > 0 || !yielded) yield await batchOf(matrix, waiting, count, run);
}

async function batchOf(
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
      columns.push(await located({ element: data.path }, () => storedColumn(data.type, values, length, state.text)));
    } else if ((field === 0) === byRow) columns.push(majors(runs, length, majorSize));
    else {
      const values = integers(await gathered(indices, runs, length, state));
      const checked = areChecked(indices, minorSize);
      if (!checked) await located({ element: indices.path }, () => check(values, runs, minorSize));
      columns.push(checked ? checkedMinorColumn(values, minorSize) : minorColumn(values, minorSize, 0));
    }
  }
  return { length, columns };
}

/** @throws {InvalidDataError} for an index outside [0, size). */
function check(values: IntArray, runs: readonly MajorRun[], size: number): void {
  let at = firstOutside(values, size);
  if (at < 0) return;
  const found = values[at];
  for (const { start, end } of runs) {
    if (at < end - start) throw new InvalidDataError(`indices[${start + at}] is ${found}, outside 0 … ${size - 1}`);
    at -= end - start;
  }
}

function majors(runs: readonly MajorRun[], length: number, size: number): Column {
  const type = coordinateType(size);
  const values = type.bits === 64 ? new BigInt64Array(length) : new Int32Array(length);
  let at = 0;
  for (const { start, end, major } of runs) {
    if (values instanceof Int32Array) values.fill(major, at, at + end - start);
    else values.fill(BigInt(major), at, at + end - start);
    at += end - start;
  }
  return { layout: "primitive", type, length, validity: null, values };
}

/** The values of all runs, one after another. Runs that touch are read together. */
async function gathered(
  array: StoredArray,
  runs: readonly MajorRun[],
  length: number,
  state: ScanState,
): Promise<StoredValues> {
  const size = decodedSize(array.type);
  if (size === null || array.type.kind === "record" || array.type.kind === "unsupported") {
    throw new InvalidDataError("sparse values are no numbers", { element: array.path });
  }
  const values = allocate(array.type, length);
  const target = bytesOf(values);
  let at = 0;
  for (let first = 0, next = 0; first < runs.length; first = next) {
    for (next = first + 1; next < runs.length && runs[next].start === runs[next - 1].end; ) next++;
    const { start } = runs[first];
    const { end } = runs[next - 1];
    const bytes = target.subarray(at * size, (at + end - start) * size);
    // What is decoded in chunks, the state keeps for the next run.
    if (array.chunks === null && array.readInto !== undefined) await array.readInto(start, end, bytes, state.options);
    else {
      const read = await state.rows(array, start, end);
      if (read.kind !== "fixed") throw new InvalidDataError("sparse values are no numbers", { element: array.path });
      bytes.set(bytesOf(read.values));
    }
    at += end - start;
  }
  return { kind: "fixed", values };
}
