/** Selections from a matrix: positions within slices, or slices, in any order and any number of times. */

import { UnsupportedError } from "annarrow";
import { computeStableOrder, OrderScratch, sortLists, takeElements } from "annarrow/core/kernels";
import { createZeros, type NumberArray } from "annarrow/core/model";
import type { ReadOptions } from "annarrow/format";
import {
  computeCountSum,
  concatCounts,
  concatLists,
  copyValues,
  type LazyMatrix,
  type ListEntries,
  MAX_LIST_ENTRIES,
  splitListsIntoBatches,
} from "./lazy-matrix.js";

/**
 * Selects positions of every slice. Entries are sorted by their new positions; entries at the same position stay in
 * order.
 * @param selection positions within a slice from 0 on, each less than `inner`.
 */
export function selectPositions(matrix: LazyMatrix, selection: Int32Array): LazyMatrix {
  const places = new PositionMap(selection, matrix.inner);

  /** Calls `take` for batches of the slices [from, to) that fit into memory. */
  async function byPortions<T>(
    from: number,
    to: number,
    withValues: boolean,
    options: ReadOptions,
    take: (slices: ListEntries) => T,
  ): Promise<T[]> {
    const taken: T[] = [];
    for (const [first, end] of splitListsIntoBatches(from, await matrix.counts(from, to, options))) {
      options.signal?.throwIfAborted();
      taken.push(take(await matrix.slices(first, end, withValues, options)));
    }
    return taken;
  }

  return {
    inner: selection.length,
    outer: matrix.outer,
    type: matrix.type,
    async counts(from, to, options) {
      if (places.all) return await matrix.counts(from, to, options);
      const parts = await byPortions(from, to, false, options, (slices) => places.counts(slices));
      return concatCounts(parts, to - from);
    },
    async slices(from, to, withValues, options) {
      const parts = await byPortions(from, to, withValues, options, (slices) => remapped(slices, places));
      if (parts.length > 0) return concatLists(parts);
      return await matrix.slices(from, to, withValues, options);
    },
  };
}

/** Maximum entries of a table of all positions, unless the selection itself is nearly as long. */
const TABLE = 2 ** 20;

class PositionMap {
  /** Whether every position is selected exactly once. */
  readonly all: boolean;
  /** New positions, sorted by their stored positions. */
  readonly order: Int32Array;
  /** The stored position of each element of `order`. */
  readonly from: Int32Array;
  /**
   * The new position of every stored position, or -1 if it is not selected. Null if some stored positions have several
   * new positions, or if the axis is too long.
   */
  readonly one: Int32Array | null;
  /** Index in `order` of the first new position of every stored position; -1 if it is not selected. */
  readonly #table: Int32Array | null;

  constructor(selection: Int32Array, inner: number) {
    const count = selection.length;
    const order = computeStableOrder(selection, new Int32Array(count), 0, count, new OrderScratch(count));
    this.order = order === null ? Int32Array.from(selection, (_, i) => i) : Int32Array.from(order);
    this.from = Int32Array.from(this.order, (place) => selection[place]);
    this.all = count === inner && this.from.every((position, i) => position === i);
    this.#table = inner <= Math.max(TABLE, 16 * count) ? new Int32Array(inner).fill(-1) : null;
    if (this.#table !== null) for (let i = count - 1; i >= 0; i--) this.#table[this.from[i]] = i;
    const single = this.#table !== null && this.from.every((position, i) => i === 0 || position !== this.from[i - 1]);
    this.one = single ? new Int32Array(inner).fill(-1) : null;
    if (this.one !== null) for (let i = 0; i < count; i++) this.one[this.from[i]] = this.order[i];
  }

  /** Returns the index in `order` of the first new position of `position`, or -1. */
  first(position: number): number {
    if (this.#table !== null) return this.#table[position];
    let low = 0;
    let high = this.from.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.from[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low < this.from.length && this.from[low] === position ? low : -1;
  }

  counts({ counts, indices }: ListEntries): Float64Array {
    if (this.one !== null) return countedIn(this.one, counts, indices);
    const found = new Float64Array(counts.length);
    const { from } = this;
    let at = 0;
    for (let slice = 0; slice < counts.length; slice++) {
      let count = 0;
      for (const end = at + counts[slice]; at < end; at++) {
        const position = indices[at];
        for (let place = this.first(position); place >= 0 && from[place] === position; place++) count++;
      }
      found[slice] = count;
    }
    return found;
  }
}

/** Counts the entries of each slice at selected positions. */
function countedIn(one: Int32Array, counts: Float64Array, indices: Int32Array): Float64Array {
  const found = new Float64Array(counts.length);
  let at = 0;
  for (let slice = 0; slice < counts.length; slice++) {
    let count = 0;
    for (const end = at + counts[slice]; at < end; at++) if (one[indices[at]] >= 0) count++;
    found[slice] = count;
  }
  return found;
}

/** Writes the entries at selected positions, if each is selected once. */
function moveOnce(one: Int32Array, before: Int32Array, indices: Int32Array, sources: Int32Array): void {
  let to = 0;
  for (let at = 0; at < before.length; at++) {
    const position = one[before[at]];
    if (position < 0) continue;
    indices[to] = position;
    sources[to++] = at;
  }
}

function moveAll(places: PositionMap, before: Int32Array, indices: Int32Array, sources: Int32Array): void {
  const { from, order } = places;
  let to = 0;
  for (let at = 0; at < before.length; at++) {
    const position = before[at];
    for (let place = places.first(position); place >= 0 && from[place] === position; place++) {
      indices[to] = order[place];
      sources[to++] = at;
    }
  }
}

function remapped(slices: ListEntries, places: PositionMap): ListEntries {
  const counts = places.counts(slices);
  const length = computeCountSum(counts);
  if (length > 2 * MAX_LIST_ENTRIES) {
    throw new UnsupportedError(`${length} entries of a few slices, at most ${2 * MAX_LIST_ENTRIES} can be evaluated`);
  }
  const indices = new Int32Array(length);
  const sources = new Int32Array(length);
  if (places.one !== null) moveOnce(places.one, slices.indices, indices, sources);
  else moveAll(places, slices.indices, indices, sources);
  const offsets = new Float64Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) offsets[i + 1] = offsets[i] + counts[i];
  sortLists({ places: sources, minor: indices }, offsets);
  const values = slices.values === null ? null : takeElements(slices.values, sources, 1);
  return { counts, indices, values };
}

/** Slices separated by fewer slices than this are read together. */
const GAP = 8;

/** Counts separated by fewer slices than this are read together. */
const COUNTS_GAP = 1024;

/** Adjacent slices that are read together. */
interface Run {
  readonly first: number;
  end: number;
}

/** Selects slices. @param selection numbers of slices from 0 on, each less than `outer`. */
export function selectLists(matrix: LazyMatrix, selection: Int32Array): LazyMatrix {
  return {
    inner: matrix.inner,
    outer: selection.length,
    type: matrix.type,
    async counts(from, to, options) {
      const wanted = selection.subarray(from, to);
      const found = new Float64Array(wanted.length);
      const rising = placesByPosition(wanted);
      let place = 0;
      for (const { first, end } of runs(wanted, rising, COUNTS_GAP)) {
        const counts = await matrix.counts(first, end, options);
        for (; place < rising.length && wanted[rising[place]] < end; place++) {
          found[rising[place]] = counts[wanted[rising[place]] - first];
        }
      }
      return found;
    },
    slices: (from, to, withValues, options) => pick(matrix, selection.subarray(from, to), withValues, options),
  };
}

async function pick(
  matrix: LazyMatrix,
  wanted: Int32Array,
  withValues: boolean,
  options: ReadOptions,
): Promise<ListEntries> {
  const rising = placesByPosition(wanted);
  const counts = new Float64Array(wanted.length);
  // The run that contains the entries of each wanted slice, and the start of the slice in it.
  const inRun = new Int32Array(wanted.length);
  const starts = new Float64Array(wanted.length);
  const parts: ListEntries[] = [];
  let place = 0;
  for (const { first, end } of runs(wanted, rising, GAP)) {
    const part = await matrix.slices(first, end, withValues, options);
    let slice = 0;
    let start = 0;
    for (; place < rising.length && wanted[rising[place]] < end; place++) {
      const at = rising[place];
      for (; slice < wanted[at] - first; slice++) start += part.counts[slice];
      counts[at] = part.counts[slice];
      inRun[at] = parts.length;
      starts[at] = start;
    }
    parts.push(part);
  }
  const length = computeCountSum(counts);
  const indices = new Int32Array(length);
  const model = parts.find(({ values }) => values !== null)?.values ?? null;
  const values: NumberArray | null = model === null ? null : createZeros(model, length);
  let to = 0;
  for (let i = 0; i < wanted.length; i++) {
    const part = parts[inRun[i]];
    const [start, count] = [starts[i], counts[i]];
    indices.set(part.indices.subarray(start, start + count), to);
    if (values !== null && part.values !== null) copyValues(values, to, part.values, start, count);
    to += count;
  }
  return { counts, indices, values };
}

/** Sorts the indices of `wanted` by its values. */
function placesByPosition(wanted: Int32Array): Int32Array {
  const places = Int32Array.from(wanted, (_, i) => i);
  return isRising(wanted) ? places : places.sort((a, b) => wanted[a] - wanted[b]);
}

function isRising(wanted: Int32Array): boolean {
  for (let i = 1; i < wanted.length; i++) if (wanted[i] < wanted[i - 1]) return false;
  return true;
}

function runs(wanted: Int32Array, rising: Int32Array, gap: number): readonly Run[] {
  const found: Run[] = [];
  let last: Run | undefined;
  for (const place of rising) {
    const position = wanted[place];
    if (last !== undefined && position - last.end < gap) last.end = Math.max(last.end, position + 1);
    else {
      last = { first: position, end: position + 1 };
      found.push(last);
    }
  }
  return found;
}
