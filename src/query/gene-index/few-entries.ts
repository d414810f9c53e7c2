/**
 * Builds a matrix that contains the entries at a few minor positions, in stored order, from a copy in the other order.
 */

import { getWordsInMemory } from "../../arrow/value-words.js";
import { createMemoryArray } from "../../containers/picked/memory-array.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import type { SparsePlan } from "../../jobs/plan/plan.js";
import { convertPointersToNumbers } from "../../kernels/sparse/indptr.js";
import { scatterWords } from "../../kernels/sparse/scatter.js";
import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import { allocate, type NumberArray, viewAsBytes } from "../../model/stored.js";
import { decodeCopiedValues } from "./copied-values.js";
import type { CopiedType } from "./manifest.js";

/** Maximum number of entries. They are held in memory, with up to 16 bytes each. */
const MAX_ENTRIES = 2 ** 22;

/** Maximum number of lists in a matrix, because their pointers are held in memory. */
const MAX_LISTS = 2 ** 27;

/** Maximum distance between two positions for their pointers to be read together. */
const POINTER_GAP = 4096;

/** Reading one entry of the copy costs about as much as skipping COST entries of the matrix. */
const COST = 2;

/** A range of entries of the copy that share one minor position of the matrix. */
interface Run {
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A matrix and its copy. If each list of the matrix is sorted by position, the copy determines the order of its
 * entries.
 */
export interface CopiedMatrix {
  readonly matrix: SparsePlan;
  readonly copy: SparsePlan;
  readonly type: CopiedType;
  readonly sorted: boolean;
}

/**
 * Returns the entries of `matrix` at some minor positions. Returns null if reading the matrix itself is faster, or if
 * only the matrix contains the order of the entries.
 * @param share fraction of the matrix that would be read otherwise.
 * @throws {InvalidDataError} if the copy is broken.
 */
export async function planFewEntries(
  { matrix, copy, type, sorted }: CopiedMatrix,
  positions: readonly number[],
  share: number,
  options: ReadOptions,
): Promise<SparsePlan | null> {
  const majors = matrix.shape[matrix.order === "row" ? 0 : 1];
  if (majors > MAX_LISTS || (positions.length > 1 && !sorted)) return null;
  const most = Math.min(MAX_ENTRIES, Math.floor((matrix.nnz * share) / COST));
  const runs = await runsOf(copy, positions, most, options);
  if (runs === null) return null;
  const count = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  const lists = new Uint32Array(count);
  const values = allocate(type, count);
  let at = 0;
  for (const { start, end } of runs) {
    options.signal?.throwIfAborted();
    if (start === end) continue;
    const [own, ownValues] = await Promise.all([
      numbersOf(copy.indices, start, end, options),
      numbersOf(copy.data, start, end, options),
    ]);
    await runWithLocation({ element: copy.indices.path }, () =>
      putLists(own, lists.subarray(at, at + end - start), majors),
    );
    await runWithLocation({ element: copy.data.path }, () =>
      decodeCopiedValues(ownValues, type, values.subarray(at, at + end - start)),
    );
    at += end - start;
  }
  return inStoredOrder(matrix, runs, lists, values, type);
}

/** Returns the ranges of entries at the positions; null if they contain more than `most` entries in total. */
async function runsOf(
  copy: SparsePlan,
  positions: readonly number[],
  most: number,
  options: ReadOptions,
): Promise<readonly Run[] | null> {
  const { indptr, nnz } = copy;
  const runs: Run[] = [];
  let count = 0;
  for (let from = 0; from < positions.length; ) {
    let to = from + 1;
    while (to < positions.length && positions[to] - positions[to - 1] <= POINTER_GAP) to++;
    const first = positions[from];
    const read = await numbersOf(indptr, first, positions[to - 1] + 2, options);
    if (read instanceof Float32Array || read instanceof Float64Array) throw new TypeError("pointers are integers");
    const pointers = convertPointersToNumbers(read);
    for (const position of positions.slice(from, to)) {
      const [start, end] = [pointers[position - first], pointers[position - first + 1]];
      if (!(start <= end && end <= nnz)) {
        throw new InvalidDataError(`the entries ${start} to ${end} of ${nnz}`, { element: indptr.path });
      }
      runs.push({ position, start, end });
      count += end - start;
    }
    if (count > most) return null;
    from = to;
  }
  return runs;
}

async function numbersOf(array: StoredArray, start: number, end: number, options: ReadOptions): Promise<NumberArray> {
  const read = await array.read(start, end, options);
  if (read.kind !== "fixed") throw new InvalidDataError("no numbers", { element: array.path });
  return read.values;
}

/** @throws {InvalidDataError} if a list does not exist in the matrix, or if the lists are not in ascending order. */
function putLists(read: NumberArray, lists: Uint32Array, majors: number): void {
  if (!(read instanceof Uint32Array)) throw new TypeError("positions are unsigned integers");
  let last = 0;
  for (let i = 0; i < read.length; i++) {
    const list = read[i];
    if (list >= majors || list < last) {
      throw new InvalidDataError(`position ${list} after ${last}, in a matrix of ${majors}`);
    }
    lists[i] = list;
    last = list;
  }
}

/** Sorts the entries of all ranges by their lists in the matrix, with a stable counting sort. */
function inStoredOrder(
  matrix: SparsePlan,
  runs: readonly Run[],
  lists: Uint32Array,
  values: NumberArray,
  type: CopiedType,
): SparsePlan {
  const count = lists.length;
  const majors = matrix.shape[matrix.order === "row" ? 0 : 1];
  const pointers = new Int32Array(majors + 1);
  for (let i = 0; i < count; i++) pointers[lists[i] + 1]++;
  for (let list = 0; list < majors; list++) pointers[list + 1] += pointers[list];
  const indices = new Int32Array(count);
  let ordered = values;
  if (runs.length === 1) indices.fill(runs[0].position);
  else {
    const places = placesOf(runs, lists, pointers.slice(0, majors), indices);
    ordered = allocate(type, count);
    // Values are copied as words, because reading a float can change the bits of a NaN.
    const width = ordered.BYTES_PER_ELEMENT;
    const shape = { bytes: width === 1 || width === 2 ? width : 4, step: width === 8 ? 2 : 1 } as const;
    const words = (of: NumberArray) => getWordsInMemory(shape, viewAsBytes(of));
    scatterWords(words(values), places, count, shape.step, words(ordered));
  }
  const { data } = matrix;
  const int32 = { kind: "int", bits: 32, signed: true } as const;
  const array = (like: StoredArray, ofType: StoredArray["type"], of: NumberArray) =>
    createMemoryArray(like.path, ofType, [of.length], { kind: "fixed", values: of });
  return {
    ...{ shape: matrix.shape, order: matrix.order, nnz: count },
    data: array(data, data.type, ordered),
    indices: array(matrix.indices, int32, indices),
    indptr: array(matrix.indptr, int32, pointers),
  };
}

/**
 * Returns the output position of every entry in the runs. The output is ordered by list.
 * @param next output position of the next entry in each list; it is advanced.
 * @param indices receives the minor position of each entry.
 */
function placesOf(runs: readonly Run[], lists: Uint32Array, next: Int32Array, indices: Int32Array): Uint32Array {
  const places = new Uint32Array(lists.length);
  let at = 0;
  for (const { position, start, end } of runs) {
    for (const stop = at + end - start; at < stop; at++) {
      const place = next[lists[at]]++;
      places[at] = place;
      indices[place] = position;
    }
  }
  return places;
}
