/**
 * A matrix as a sequence of slices, which are its columns, or its rows if the matrix is stored by rows. A lazy
 * operation takes such matrices and returns another one, so nested operations are read slice by slice.
 */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { SparsePlan } from "annarrow/core/jobs";
import { convertPointersToNumbers, findPointerDecrease, narrowWithin } from "annarrow/core/kernels";
import {
  createZeros,
  type IntArray,
  type NumberArray,
  runWithLocation,
  type StoredType,
  type StoredValues,
  viewAsBytes,
} from "annarrow/core/model";
import type { ReadOptions } from "annarrow/format";

/** The entries of some slices: the number of entries in each slice, their positions in the slices, and their values. */
export interface ListEntries {
  readonly counts: Float64Array;
  readonly indices: Int32Array;
  /** Null if the caller wants no values. */
  readonly values: NumberArray | null;
}

export interface LazyMatrix {
  readonly inner: number;
  readonly outer: number;
  readonly type: StoredType;
  /** Returns the number of entries in each of the slices [from, to). */
  counts(from: number, to: number, options: ReadOptions): Promise<Float64Array>;
  /** Reads the entries of the slices [from, to), which must together fit into memory. */
  slices(from: number, to: number, withValues: boolean, options: ReadOptions): Promise<ListEntries>;
}

/** Maximum length of an axis in R. */
const MAX_AXIS = 2 ** 31 - 1;

/** Maximum entries of a slice, which is read into memory as a whole. */
export const MAX_LIST_ENTRIES = 2 ** 25;

/** Entries per batch of slices. */
const AT_ONCE = 2 ** 20;

/** @throws {UnsupportedError} for an axis longer than R supports. */
export function checkAxisSize(size: number): number {
  if (size <= MAX_AXIS) return size;
  throw new UnsupportedError(`an axis of ${size} positions, at most ${MAX_AXIS} can be evaluated`);
}

/** Divides the slices from `from` on, whose entry counts are `counts`, into batches for reading. */
export function* splitListsIntoBatches(
  from: number,
  counts: Float64Array,
  most: number = AT_ONCE,
): Generator<[number, number]> {
  let first = 0;
  let entries = 0;
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] > MAX_LIST_ENTRIES) {
      throw new UnsupportedError(`a slice of ${counts[i]} entries, at most ${MAX_LIST_ENTRIES} can be evaluated`);
    }
    if (i > first && entries + counts[i] > most) {
      yield [from + first, from + i];
      first = i;
      entries = 0;
    }
    entries += counts[i];
  }
  if (counts.length > first) yield [from + first, from + counts.length];
}

export function concatCounts(parts: readonly Float64Array[], slices: number): Float64Array {
  const counts = new Float64Array(slices);
  let at = 0;
  for (const part of parts) {
    counts.set(part, at);
    at += part.length;
  }
  return counts;
}

export function concatLists(parts: readonly ListEntries[]): ListEntries {
  if (parts.length === 1) return parts[0];
  const slices = parts.reduce((sum, part) => sum + part.counts.length, 0);
  const length = parts.reduce((sum, { indices }) => sum + indices.length, 0);
  const indices = new Int32Array(length);
  const model = parts.find(({ values }) => values !== null)?.values ?? null;
  const values = model === null ? null : createZeros(model, length);
  let at = 0;
  for (const part of parts) {
    indices.set(part.indices, at);
    if (values !== null && part.values !== null) copyValues(values, at, part.values, 0, part.indices.length);
    at += part.indices.length;
  }
  const counts = concatCounts(
    parts.map((part) => part.counts),
    slices,
  );
  return { counts, indices, values };
}

/** Copies `count` values of one type from index `first` of `from` to index `at` of `to`. */
export function copyValues(to: NumberArray, at: number, from: NumberArray, first: number, count: number): void {
  const size = to.BYTES_PER_ELEMENT;
  if (from.BYTES_PER_ELEMENT !== size) throw new InvalidDataError("values of different types");
  viewAsBytes(to).set(viewAsBytes(from).subarray(first * size, (first + count) * size), at * size);
}

export function computeCountSum(counts: Float64Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the slices of a stored matrix; pointers and indices are checked when they are read.
 * @throws {UnsupportedError} for values that are not numbers, and for axes that R cannot have.
 */
export function createStoredLists({ shape, order, nnz, data, indices, indptr }: SparsePlan): LazyMatrix {
  const [outer, inner] = order === "row" ? shape : [shape[1], shape[0]];
  checkAxisSize(inner);
  const { type } = data;
  if (type.kind !== "int" && !(type.kind === "float" && type.bits > 16)) {
    throw new UnsupportedError(`a lazy operation on ${type.kind} values`, { element: data.path });
  }

  const pointers = (from: number, to: number, options: ReadOptions): Promise<Float64Array> =>
    runWithLocation({ element: indptr.path }, async () => {
      const found = convertPointersToNumbers(integers(await indptr.read(from, to + 1, options)));
      const wrong = findPointerDecrease(found);
      if (wrong >= 0) {
        throw new InvalidDataError(`pointer ${from + wrong} is ${found[wrong]}, smaller than the one before it`);
      }
      const last = found[found.length - 1];
      if (from === 0 && found[0] !== 0) throw new InvalidDataError(`the first pointer is ${found[0]}, not 0`);
      if (last > nnz || (to === outer && last !== nnz)) {
        throw new InvalidDataError(`pointer ${to} is ${last}, there are ${nnz} values`);
      }
      return found;
    });

  return {
    inner,
    outer,
    type,
    counts: async (from, to, options) => differences(await pointers(from, to, options)),
    async slices(from, to, withValues, options): Promise<ListEntries> {
      const found = await pointers(from, to, options);
      const [start, end] = [found[0], found[found.length - 1]];
      const [stored, values] = await Promise.all([
        indices.read(start, end, options),
        withValues ? data.read(start, end, options) : null,
      ]);
      const positions = new Int32Array(end - start);
      await runWithLocation({ element: indices.path }, () => {
        const wrong = narrowWithin(integers(stored), inner, positions);
        if (wrong >= 0) throw new InvalidDataError(`index ${start + wrong} is not in 0 … ${inner - 1}`);
      });
      return { counts: differences(found), indices: positions, values: values === null ? null : numbers(values) };
    },
  };
}

function differences(pointers: Float64Array): Float64Array {
  return Float64Array.from({ length: pointers.length - 1 }, (_, i) => pointers[i + 1] - pointers[i]);
}

function integers(values: StoredValues): IntArray {
  const found = numbers(values);
  if (found instanceof Float32Array || found instanceof Float64Array) throw new InvalidDataError("no integers");
  return found;
}

function numbers(values: StoredValues): NumberArray {
  if (values.kind === "fixed") return values.values;
  throw new InvalidDataError("no numbers");
}
