/** Joins sparse matrices of different cells into one matrix of all cells, which is assembled when it is read. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { allocate, type NumberArray, type StoredType } from "annarrow/core/model";
import type { ReadOptions, StoredArray } from "annarrow/format";
import { createRNumberVector, INT32 } from "../values/arrays.js";
import { createSparseRMatrix, type RMatrix } from "./forms.js";

/** A column-major matrix, with the positions of its columns and rows in the whole matrix. */
export interface CellsPart {
  readonly name: string;
  readonly matrix: RMatrix;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
}

/**
 * Consecutive entries of a part that are also consecutive in the whole matrix. `from` is their position in the part,
 * and `start` is their position in the whole matrix.
 */
interface Run {
  readonly part: number;
  readonly from: number;
  readonly start: number;
}

type Sparse = NonNullable<RMatrix["sparse"]>;

/**
 * Joins matrices that have different columns.
 * @throws {UnsupportedError} for dense matrices, columns that occur in two parts, and values of different types.
 */
export async function joinMatrices(
  path: string,
  parts: readonly CellsPart[],
  shape: readonly [rows: number, columns: number],
  options: ReadOptions,
): Promise<RMatrix> {
  const sparse = parts.map(sparseOf);
  const { type } = sparse[0].data;
  const other = parts.find((_, i) => JSON.stringify(sparse[i].data.type) !== JSON.stringify(type));
  if (other !== undefined) throw notJoined(`${parts[0].name} and ${other.name} have values of different types`);
  const [owner, place] = columnsOf(parts, shape[1]);
  const starts = await Promise.all(sparse.map((one, i) => pointersOf(one, parts[i], options)));
  const indptr = new BigInt64Array(shape[1] + 1);
  const runs: Run[] = [];
  let total = 0;
  for (let column = 0; column < shape[1]; column++) {
    const part = owner[column];
    if (part >= 0) {
      const [from, end] = [starts[part][place[column]], starts[part][place[column] + 1]];
      const last = runs.at(-1);
      const follows = last !== undefined && last.part === part && last.from + total - last.start === from;
      if (end > from && !follows) runs.push({ part, from, start: total });
      total += end - from;
    }
    indptr[column + 1] = BigInt(total);
  }
  const whole = (name: string, of: StoredType, arrays: readonly StoredArray[], change?: Change): StoredArray => ({
    ...{ kind: "array", path: `${path}/${name}`, id: `${path}/${name}`, attributes: new Map(), chunks: null },
    ...{ type: of, shape: [total] },
    read: async (start, end, own) => ({
      kind: "fixed",
      values: await gathered({ arrays, runs, change }, allocate(of, end - start), start, own ?? {}),
    }),
  });
  return createSparseRMatrix(shape, [null, null], {
    order: "column",
    data: whole(
      "x",
      type,
      sparse.map(({ data }) => data),
    ),
    indices: whole(
      "i",
      INT32,
      sparse.map(({ indices }) => indices),
      (part, values) => mapped(values, parts[part]),
    ),
    indptr: createRNumberVector(`${path}/p`, { kind: "int", bits: 64, signed: true }, indptr),
  });
}

function notJoined(why: string): UnsupportedError {
  return new UnsupportedError(`split layers that are not joined: ${why}; JoinLayers() joins them in R`);
}

function sparseOf({ matrix, name }: CellsPart): Sparse {
  if (matrix.sparse === null) throw notJoined(`${name} is dense`);
  if (matrix.sparse.order !== "column") throw notJoined(`${name} is stored by features`);
  return matrix.sparse;
}

/** Returns for each column the part that contains it, or -1, and the column's index in that part. */
function columnsOf(parts: readonly CellsPart[], count: number): readonly [owner: Int32Array, place: Int32Array] {
  const owner = new Int32Array(count).fill(-1);
  const place = new Int32Array(count);
  for (const [part, { name, columns }] of parts.entries()) {
    for (const [i, column] of columns.entries()) {
      if (owner[column] >= 0) throw notJoined(`${parts[owner[column]].name} and ${name} have a cell in common`);
      owner[column] = part;
      place[column] = i;
    }
  }
  return [owner, place];
}

/** Reads the start of each column of a part, and the end of the last column. @throws {InvalidDataError} */
async function pointersOf({ indptr, data }: Sparse, part: CellsPart, options: ReadOptions): Promise<Float64Array> {
  const count = part.columns.length + 1;
  if (indptr.shape?.[0] !== count) {
    throw new InvalidDataError(`${indptr.shape?.[0]} pointers of ${part.columns.length} cells in ${part.name}`);
  }
  const read = await indptr.read(0, count, options);
  if (read.kind !== "fixed") throw new InvalidDataError("the pointers are no numbers");
  const starts = Float64Array.from(read.values, Number);
  const size = data.shape?.[0] ?? 0;
  for (let i = 0; i < count; i++) {
    if (!(starts[i] >= (i === 0 ? 0 : starts[i - 1]) && starts[i] <= size)) {
      throw new InvalidDataError(`pointer ${i} of ${part.name} is ${starts[i]}, of ${size} entries`);
    }
  }
  return starts;
}

type Change = (part: number, values: NumberArray) => NumberArray;

interface Gathered {
  readonly arrays: readonly StoredArray[];
  readonly runs: readonly Run[];
  readonly change: Change | undefined;
}

/** Fills `to` with the entries from `start` on. */
async function gathered(
  { arrays, runs, change }: Gathered,
  to: NumberArray,
  start: number,
  options: ReadOptions,
): Promise<NumberArray> {
  const end = start + to.length;
  for (let i = runAt(runs, start); i < runs.length && runs[i].start < end; i++) {
    const { part, from, start: own } = runs[i];
    const first = Math.max(start, own);
    const last = Math.min(end, runs[i + 1]?.start ?? end);
    const read = await arrays[part].read(from + first - own, from + last - own, options);
    if (read.kind !== "fixed") throw new InvalidDataError("the entries are no numbers");
    copy(change === undefined ? read.values : change(part, read.values), to, first - start);
  }
  return to;
}

/** Returns the last run that begins at or before an entry. */
function runAt(runs: readonly Run[], entry: number): number {
  let [low, high] = [0, runs.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (runs[middle].start <= entry) low = middle;
    else high = middle;
  }
  return low;
}

function copy(from: NumberArray, to: NumberArray, at: number): void {
  for (let i = 0; i < from.length; i++) to[at + i] = from[i];
}

function mapped(values: NumberArray, { rows, name }: CellsPart): Int32Array {
  const to = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const place = rows[Number(values[i])];
    if (place === undefined) throw new InvalidDataError(`index ${values[i]} of ${rows.length} features in ${name}`);
    to[i] = place;
  }
  return to;
}
