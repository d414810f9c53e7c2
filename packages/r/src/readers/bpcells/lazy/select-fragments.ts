/** Selections of fragments: by cells with new numbers, and by ranges of an array. */

import { InvalidDataError, InvalidInputError } from "annarrow";
import type { FragmentsPlan } from "annarrow/core/jobs";
import { allocate } from "annarrow/core/model";
import type { ReadOptions, StoredArray } from "annarrow/format";
import { copyValues } from "./lazy-matrix.js";

/** Fragments per block. */
const BLOCK = 2 ** 17;

/** Blocks in the cache. */
const KEPT = 8;

const UINT32 = { kind: "int", bits: 32, signed: false } as const;

/** Stored fragments [start, end) of one chromosome. `first` is the number of selected fragments before this block. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly first: number;
}

type Field = "cell" | "start" | "end";

interface SelectedFragments {
  readonly cell: StoredArray;
  readonly start: StoredArray;
  readonly end: StoredArray;
  /** For each run, the number of selected fragments up to its end. */
  readonly ends: readonly number[];
}

/**
 * Selects fragments by their cells. Reads all cells to count them; starts and ends are read with the selected arrays.
 * @param ids the new number of every cell, -1 to omit it.
 * @throws {InvalidDataError} for a cell beyond `ids`.
 */
export async function selectCells(
  plan: FragmentsPlan,
  ids: Int32Array,
  path: string,
  options: ReadOptions,
): Promise<SelectedFragments> {
  const blocks: Block[] = [];
  const ends: number[] = [];
  let count = 0;
  for (const run of plan.runs) {
    for (let start = run.start; start < run.end; start += BLOCK) {
      options.signal?.throwIfAborted();
      const end = Math.min(run.end, start + BLOCK);
      blocks.push({ start, end, first: count });
      const cells = await words(plan.cell, start, end, options);
      for (let i = 0; i < cells.length; i++) if (newId(ids, cells[i], plan, start + i) >= 0) count++;
    }
    ends.push(count);
  }
  const kept = new Map<number, Promise<Readonly<Record<Field, Uint32Array>>>>();

  async function evaluate({ start, end }: Block): Promise<Readonly<Record<Field, Uint32Array>>> {
    const [cells, starts, stops] = await Promise.all([
      words(plan.cell, start, end, {}),
      words(plan.start, start, end, {}),
      words(plan.end, start, end, {}),
    ]);
    const found = { cell: new Uint32Array(cells.length), start: starts, end: stops };
    let to = 0;
    for (let i = 0; i < cells.length; i++) {
      const id = newId(ids, cells[i], plan, start + i);
      if (id < 0) continue;
      found.cell[to] = id;
      found.start[to] = starts[i];
      found.end[to++] = stops[i];
    }
    return { cell: found.cell.subarray(0, to), start: starts.subarray(0, to), end: stops.subarray(0, to) };
  }

  function block(index: number): Promise<Readonly<Record<Field, Uint32Array>>> {
    if (index >= blocks.length) throw new InvalidDataError("fewer fragments than before: the store has changed");
    const found = kept.get(index) ?? evaluate(blocks[index]);
    kept.delete(index);
    kept.set(index, found);
    found.catch(() => kept.delete(index));
    const [oldest] = kept.keys();
    if (kept.size > KEPT) kept.delete(oldest);
    return found;
  }

  const array = (field: Field): StoredArray => ({
    ...{ kind: "array", path: `${path}/${field}`, id: `${path}/${field}`, attributes: new Map(), chunks: null },
    type: UINT32,
    shape: [count],
    async read(start, end, more = {}) {
      if (!(start >= 0 && start <= end && end <= count)) {
        throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: path });
      }
      const values = new Uint32Array(end - start);
      for (let index = blockOf(blocks, start), at = start; at < end; index++) {
        more.signal?.throwIfAborted();
        const found = (await block(index))[field];
        const { first } = blocks[index];
        const stop = Math.min(end, first + found.length);
        if (stop > at) values.set(found.subarray(at - first, stop - first), at - start);
        at = Math.max(at, stop);
      }
      return { kind: "fixed", values };
    },
  });
  return { cell: array("cell"), start: array("start"), end: array("end"), ends };
}

/** Returns the last block that begins at or before fragment `at`. */
function blockOf(blocks: readonly Block[], at: number): number {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (blocks[middle].first <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function newId(ids: Int32Array, cell: number, plan: FragmentsPlan, at: number): number {
  if (cell < ids.length) return ids[cell];
  throw new InvalidDataError(`fragment ${at} is of cell ${cell}, there are ${ids.length}`, { element: plan.cell.path });
}

async function words(array: StoredArray, start: number, end: number, options: ReadOptions): Promise<Uint32Array> {
  const read = await array.read(start, end, options);
  if (read.kind === "fixed" && read.values instanceof Uint32Array) return read.values;
  throw new InvalidDataError("no unsigned 32-bit integers", { element: array.path });
}

/** Concatenates ranges of an array of numbers. */
export function concatArrayRanges(
  array: StoredArray,
  pieces: readonly { readonly start: number; readonly end: number }[],
): StoredArray {
  const count = pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  const { path, type } = array;
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), chunks: null, type },
    shape: [count],
    async read(start, end, options) {
      if (!(start >= 0 && start <= end && end <= count)) {
        throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: path });
      }
      const values = allocate(type, end - start);
      let before = 0;
      for (const piece of pieces) {
        const from = Math.max(start, before);
        const to = Math.min(end, before + piece.end - piece.start);
        if (from < to) {
          const shift = piece.start - before;
          const read = await array.read(from + shift, to + shift, options);
          if (read.kind === "fixed") copyValues(values, from - start, read.values, 0, to - from);
        }
        before += piece.end - piece.start;
      }
      return { kind: "fixed", values };
    },
  };
}
