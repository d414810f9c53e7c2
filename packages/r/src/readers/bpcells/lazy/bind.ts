/** Binds matrices: concatenates their slices, or joins corresponding slices of all matrices. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { createZeros, type StoredType } from "annarrow/core/model";
import {
  checkAxisSize,
  concatCounts,
  concatLists,
  copyValues,
  type LazyMatrix,
  type ListEntries,
} from "./lazy-matrix.js";

/**
 * Binds the slices of matrices, one matrix after another.
 * @throws {InvalidDataError} for slices of different lengths; {UnsupportedError} for values of different types.
 */
export function bindOuter(matrices: readonly LazyMatrix[]): LazyMatrix {
  const [{ inner }] = matrices;
  const ends = endsOf(matrices.map(({ outer }) => outer));
  for (const other of matrices) checkSame(inner, other.inner);

  /** Calls `take` for every matrix that has some of the slices [from, to). */
  async function each<T>(
    from: number,
    to: number,
    take: (matrix: LazyMatrix, from: number, to: number) => Promise<T>,
  ): Promise<T[]> {
    const taken: T[] = [];
    for (const [i, matrix] of matrices.entries()) {
      const start = ends[i] - matrix.outer;
      const [first, end] = [Math.max(from, start), Math.min(to, ends[i])];
      if (first < end) taken.push(await take(matrix, first - start, end - start));
    }
    return taken;
  }

  return {
    inner,
    outer: checkAxisSize(ends[ends.length - 1]),
    type: typeOf(matrices),
    async counts(from, to, options) {
      const parts = await each(from, to, (matrix, first, end) => matrix.counts(first, end, options));
      return concatCounts(parts, to - from);
    },
    async slices(from, to, withValues, options) {
      const parts = await each(from, to, (matrix, first, end) => matrix.slices(first, end, withValues, options));
      return parts.length === 0 ? await matrices[0].slices(0, 0, withValues, options) : concatLists(parts);
    },
  };
}

/**
 * Binds matrices so that a slice has the entries of the first matrix, then of the second, and so on.
 * @throws as `bindOuter`.
 */
export function bindInner(matrices: readonly LazyMatrix[]): LazyMatrix {
  const [{ outer }] = matrices;
  for (const other of matrices) checkSame(outer, other.outer);
  const ends = endsOf(matrices.map(({ inner }) => inner));
  return {
    inner: checkAxisSize(ends[ends.length - 1]),
    outer,
    type: typeOf(matrices),
    async counts(from, to, options) {
      const sums = new Float64Array(to - from);
      for (const matrix of matrices) {
        const counts = await matrix.counts(from, to, options);
        for (let i = 0; i < sums.length; i++) sums[i] += counts[i];
      }
      return sums;
    },
    async slices(from, to, withValues, options) {
      const parts: ListEntries[] = [];
      for (const matrix of matrices) parts.push(await matrix.slices(from, to, withValues, options));
      return interleaved(
        parts,
        matrices.map(({ inner }, i) => ends[i] - inner),
      );
    },
  };
}

/**
 * Joins the first slices of all parts, then the second slices, and so on. Positions of each part are offset by its
 * base.
 */
function interleaved(parts: readonly ListEntries[], bases: readonly number[]): ListEntries {
  const slices = parts[0].counts.length;
  const length = parts.reduce((sum, { indices }) => sum + indices.length, 0);
  const counts = new Float64Array(slices);
  const indices = new Int32Array(length);
  const model = parts[0].values;
  const values = model === null ? null : createZeros(model, length);
  const starts = new Float64Array(parts.length);
  let to = 0;
  for (let slice = 0; slice < slices; slice++) {
    for (const [i, part] of parts.entries()) {
      const [start, count, base] = [starts[i], part.counts[slice], bases[i]];
      for (let k = 0; k < count; k++) indices[to + k] = part.indices[start + k] + base;
      if (values !== null && part.values !== null) copyValues(values, to, part.values, start, count);
      starts[i] += count;
      counts[slice] += count;
      to += count;
    }
  }
  return { counts, indices, values };
}

function endsOf(sizes: readonly number[]): Float64Array {
  const ends = Float64Array.from(sizes);
  for (let i = 1; i < ends.length; i++) ends[i] += ends[i - 1];
  return ends;
}

function checkSame(first: number, other: number): void {
  if (first === other) return;
  throw new InvalidDataError(`matrices with ${first} and ${other} positions on the axis that they share`);
}

function typeOf(matrices: readonly LazyMatrix[]): StoredType {
  const names = new Set(matrices.map(({ type }) => JSON.stringify(type)));
  if (names.size === 1) return matrices[0].type;
  throw new UnsupportedError("matrices of different types of values bound together: converting them is arithmetic");
}
