/** Some slices of a matrix, in any order and any number of times. */

import { type NumberArray, zerosLike } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { putValues, type SliceMatrix, type Slices, sumOf } from "./slices.js";

/** Slices so close together are read together. */
const GAP = 8;

/** The numbers of entries of so many slices are read together, whichever of them are wanted. */
const COUNTS_GAP = 1024;

/** A slice that is wanted, in the order of the store. */
interface Run {
  readonly first: number;
  end: number;
}

/** @param selection positions of slices from 0 on, each less than `outer`. */
export function selectSlices(matrix: SliceMatrix, selection: Int32Array): SliceMatrix {
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
  matrix: SliceMatrix,
  wanted: Int32Array,
  withValues: boolean,
  options: ReadOptions,
): Promise<Slices> {
  const rising = placesByPosition(wanted);
  const counts = new Float64Array(wanted.length);
  // Where the entries of each wanted slice lie: in which run, and from where on.
  const inRun = new Int32Array(wanted.length);
  const starts = new Float64Array(wanted.length);
  const parts: Slices[] = [];
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
  const length = sumOf(counts);
  const indices = new Int32Array(length);
  const model = parts.find(({ values }) => values !== null)?.values ?? null;
  const values: NumberArray | null = model === null ? null : zerosLike(model, length);
  let to = 0;
  for (let i = 0; i < wanted.length; i++) {
    const part = parts[inRun[i]];
    const [start, count] = [starts[i], counts[i]];
    indices.set(part.indices.subarray(start, start + count), to);
    if (values !== null && part.values !== null) putValues(values, to, part.values, start, count);
    to += count;
  }
  return { counts, indices, values };
}

/** The places of `wanted` in the order of what stands there. */
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
