/**
 * Sorts coordinate tables of any size by row or by column, within a memory budget.
 *
 * Entries are collected up to the budget. If all of them fit, they are sorted in memory. Otherwise they are distributed
 * over bands of rows (or columns) and spilled, run by run. Then groups of bands that fit into memory are read from all
 * runs and sorted. A band that is too large is distributed again, over narrower bands.
 */

import type { Column, ColumnBatch, PrimitiveColumn } from "../../arrow/column.js";
import { INT32 } from "../../arrow/type.js";
import { createColumnFromWords, getWordShapes } from "../../arrow/value-words.js";
import { type EntryWords, gatherWords } from "../../kernels/sparse/scatter.js";
import { computeStableOrder, OrderScratch } from "../../kernels/sparse/stable-order.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { BatchCursor, checkSameType, checkShape, splitCoordinateBatch } from "./collect.js";
import type { Spill } from "./spill.js";
import {
  type CoordinateBounds,
  computeSubranges,
  distributeEntries,
  getSubrangeBounds,
  type Subranges,
} from "./subranges.js";
import { EntryBuffer, EntryShape, Workspace } from "./workspace.js";

export const DEFAULT_SORT_BYTES = 96 * 2 ** 20;

/**
 * Number of bands in a run: few enough that a processor can write to all of them quickly, and enough that a few
 * thousand runs need no second pass.
 */
const SPILLED_BANDS = 2 ** 9;

export interface SortOptions {
  /** "row": by row, then col; "column": by col, then row. */
  readonly order: "row" | "column";
  /** [rows, columns] of the matrix. */
  readonly shape: readonly [number, number];
  /** Memory for entries in bytes, 96 MiB by default; batches take additional memory. */
  readonly budgetBytes?: number;
  /** Storage for entries that do not fit into memory; null if unavailable. It serves one sort at a time. */
  readonly spill: Spill | null;
  readonly signal?: AbortSignal;
}

/**
 * Sorts entries; entries with equal coordinates keep their order. `row` and `col` become Int32.
 * @param batches columns `row`, `col` (integers of any width) and `value` (any type of fixed width), without nulls.
 * @returns batches in new memory: one empty batch if all given batches are empty, or no batch if no batch is given.
 * @throws {InvalidInputError} if a coordinate is out of range, there is a null, a batch differs in type from the first
 * batch, or the disk is full.
 * @throws {UnsupportedError} if values vary in width, or if there are more entries than the budget allows and there is
 * no spill.
 */
export async function* sortCoordinates(
  batches: AsyncIterable<ColumnBatch>,
  options: SortOptions,
): AsyncGenerator<ColumnBatch> {
  const { order, shape, spill, signal, budgetBytes = DEFAULT_SORT_BYTES } = options;
  checkShape(shape);
  if (!(budgetBytes > 0)) throw new InvalidInputError(`budgetBytes is ${budgetBytes}, not above 0`);
  const [majors, minors] = order === "row" ? shape : [shape[1], shape[0]];
  const range: CoordinateBounds = { major: [0, majors], minor: [0, minors] };
  let sort: Sort | null = null;
  let start = 0;
  try {
    for await (const batch of batches) {
      signal?.throwIfAborted();
      const parts = splitCoordinateBatch(batch, order, shape, start);
      sort ??= new Sort({ order, value: parts.value }, range, { budgetBytes, spill, signal });
      checkSameType(sort.form.value, parts.value, start);
      await sort.add(new BatchCursor(parts, start));
      start += batch.length;
    }
    if (sort !== null) yield* sort.result();
  } finally {
    await sort?.end();
  }
}

interface SortResources {
  readonly budgetBytes: number;
  readonly spill: Spill | null;
  readonly signal: AbortSignal | undefined;
}

class Sort {
  readonly form: BatchForm;
  readonly #range: CoordinateBounds;
  readonly #budget: number;
  readonly #spill: Spill | null;
  readonly #signal: AbortSignal | undefined;
  readonly #workspace: Workspace;
  #held = 0;
  #runs: Runs | null = null;
  /** Pending read of the next group, which runs while the current group is yielded. */
  #prefetch: Promise<void> | null = null;

  constructor(form: BatchForm, range: CoordinateBounds, { budgetBytes, spill, signal }: SortResources) {
    this.form = form;
    this.#range = range;
    this.#budget = budgetBytes;
    this.#spill = spill;
    this.#signal = signal;
    this.#workspace = new Workspace(new EntryShape(getWordShapes(form.value.type)), budgetBytes);
  }

  async add(batch: BatchCursor): Promise<void> {
    const workspace = this.#workspace;
    while (batch.left > 0) {
      if (this.#held === workspace.capacity) await this.#flush();
      const count = Math.min(batch.left, workspace.capacity - this.#held);
      workspace.reserve(this.#held + count, this.#held);
      batch.copy(count, workspace.source, this.#held);
      this.#held += count;
    }
  }

  async *result(): AsyncGenerator<ColumnBatch> {
    if (this.#runs === null) {
      if (this.#held > 0)
        yield* this.#checked(
          iterateSortedBatches(this.#workspace, this.#held, { range: this.#range, form: this.form }),
        );
      else yield toCoordinateBatch(new EntryBuffer(this.#workspace.shape, 0), this.form);
      return;
    }
    if (this.#held > 0) await this.#flush();
    yield* this.#merged(this.#runs);
  }

  async end(): Promise<void> {
    await this.#prefetch?.catch(() => undefined);
    await this.#runs?.written().catch(() => undefined);
    if (this.#runs !== null) await this.#spill?.remove();
  }

  async #flush(): Promise<void> {
    this.#runs ??= this.#newRuns(this.#range);
    await this.#runs.add(this.#held);
    this.#held = 0;
  }

  #newRuns(range: CoordinateBounds): Runs {
    if (this.#spill === null) {
      throw new UnsupportedError(
        `sorting more than ${this.#workspace.capacity} entries takes more memory than the ${this.#budget} bytes allowed, and here is no disk for the rest: give the entries in ${this.form.order} order, or allow more memory`,
      );
    }
    return new Runs(range, computeSubranges(range, SPILLED_BANDS), this.#spill, this.#workspace);
  }

  async *#merged(runs: Runs): AsyncGenerator<ColumnBatch> {
    await runs.written();
    const workspace = this.#workspace;
    const groups = runs.groups(workspace.capacity);
    const load = (group: BandGroup) => {
      workspace.reserve(group.count, 0);
      return runs.load(group, workspace.source);
    };
    for (const [i, group] of groups.entries()) {
      this.#signal?.throwIfAborted();
      if (group.count > workspace.capacity) {
        yield* this.#large(runs, group);
        continue;
      }
      await (this.#prefetch ?? load(group));
      this.#prefetch = null;
      const next = groups.at(i + 1);
      const loadNext = () => {
        if (next === undefined || next.count > workspace.capacity) return;
        this.#prefetch = load(next);
        this.#prefetch.catch(() => undefined);
      };
      yield* this.#checked(
        iterateSortedBatches(workspace, group.count, { range: group.range, form: this.form }, loadNext),
      );
    }
  }

  /** Sorts a band that has too many entries for memory by distributing it over narrower bands. */
  async *#large(runs: Runs, group: BandGroup): AsyncGenerator<ColumnBatch> {
    const { major, minor } = group.range;
    const parts = runs.parts(group, () => this.#workspace.source);
    if (major[1] - major[0] === 1 && minor[1] - minor[0] === 1) {
      for await (const count of parts) yield* this.#checked(iterateUnsortedBatches(this.#workspace, count, this.form));
      return;
    }
    const narrower = this.#newRuns(group.range);
    try {
      for await (const count of parts) await narrower.add(count);
      yield* this.#merged(narrower);
    } finally {
      await narrower.written().catch(() => undefined);
    }
  }

  *#checked(batches: Iterable<ColumnBatch>): Generator<ColumnBatch> {
    for (const batch of batches) {
      this.#signal?.throwIfAborted();
      yield batch;
    }
  }
}

// Sorts the entries of one block and yields them as batches.

const BATCH_ENTRIES = 2 ** 18;

/** Maximum number of bands. More bands cost more time than the passes they save. */
const MAX_BANDS = 2 ** 11;

/** Minimum average number of entries per band. Smaller bands are not worth their counters. */
const LEAST_PER_BAND = 64;

/** The order of the batches, and a column that has the type of their values. */
interface BatchForm {
  readonly order: "row" | "column";
  readonly value: Column;
}

/**
 * Yields the first `length` entries of the workspace's source, sorted, in new memory.
 * @param range range of the entries' coordinates.
 * @param distributed called as soon as the source may be reused.
 */
function* iterateSortedBatches(
  workspace: Workspace,
  length: number,
  { range, form }: { readonly range: CoordinateBounds; readonly form: BatchForm },
  distributed: () => void = () => undefined,
): Generator<ColumnBatch> {
  const bands = computeSubranges(range, Math.min(MAX_BANDS, Math.max(1, Math.floor(length / LEAST_PER_BAND))));
  const block = workspace.target(length);
  const places = workspace.places(length);
  const starts = distributeEntries(workspace.source, length, bands, block, places);
  distributed();
  const scratch = new OrderScratch(longestBand(starts), places);
  const oneMajor = bands.key === "major" && bands.shift === 0;
  let batch = new EntryBuffer(block.shape, Math.min(BATCH_ENTRIES, length));
  let filled = 0;
  for (let b = 0; b < bands.count; b++) {
    const start = starts[b];
    const count = starts[b + 1] - start;
    if (count === 0) continue;
    const order = computeStableOrder(block.major, block.minor, start, start + count, scratch);
    for (let done = 0; done < count; ) {
      const end = Math.min(count, done + batch.capacity - filled);
      const move = mover(order, start, done, end, filled);
      if (oneMajor) batch.major.fill(block.major[start], filled, filled + end - done);
      else move(block.major, batch.major, 1);
      move(block.minor, batch.minor, 1);
      block.values.forEach((words, i) => {
        move(words, batch.values[i], block.shape.value[i].step);
      });
      filled += end - done;
      done = end;
      if (filled < batch.capacity) continue;
      yield toCoordinateBatch(batch, form);
      batch = new EntryBuffer(block.shape, Math.min(BATCH_ENTRIES, length - start - done));
      filled = 0;
    }
  }
}

/** Yields the first `length` entries of the workspace's source in their current order. */
function* iterateUnsortedBatches(workspace: Workspace, length: number, form: BatchForm): Generator<ColumnBatch> {
  const { source } = workspace;
  for (let start = 0; start < length; start += BATCH_ENTRIES) {
    const end = Math.min(length, start + BATCH_ENTRIES);
    const batch = new EntryBuffer(source.shape, end - start);
    const move = mover(null, 0, start, end, 0);
    move(source.major, batch.major, 1);
    move(source.minor, batch.minor, 1);
    source.values.forEach((words, i) => {
      move(words, batch.values[i], source.shape.value[i].step);
    });
    yield toCoordinateBatch(batch, form);
  }
}

/**
 * Returns a function that moves the entries [done, end) in the segment at `start` to the positions starting at `to`, in
 * the given `order` if there is one.
 */
function mover(order: Uint32Array | null, start: number, done: number, end: number, to: number) {
  const part = order?.subarray(done, end);
  return (source: EntryWords, target: EntryWords, step: number): void => {
    if (part !== undefined) gatherWords(source, start, part, step, target, to);
    else target.set(source.subarray((start + done) * step, (start + end) * step), to * step);
  };
}

function longestBand(starts: Uint32Array): number {
  let longest = 0;
  for (let b = 1; b < starts.length; b++) longest = Math.max(longest, starts[b] - starts[b - 1]);
  return longest;
}

/** Returns a full block as a batch with the columns row, col and value. */
function toCoordinateBatch({ capacity, major, minor, values }: EntryBuffer, { order, value }: BatchForm): ColumnBatch {
  const [row, col] = order === "row" ? [major, minor] : [minor, major];
  return {
    length: capacity,
    columns: [coordinate(row), coordinate(col), createColumnFromWords(value, values, capacity)],
  };
}

function coordinate(values: Int32Array): PrimitiveColumn {
  return { layout: "primitive", type: INT32, length: values.length, validity: null, values };
}

// Holds spilled entries as runs, which are all divided into the same bands.

interface Run {
  readonly offset: number;
  readonly length: number;
  /** Start of each band, and the end of the last band. */
  readonly starts: Uint32Array;
}

/** Adjacent bands [from, to) that are sorted together. */
interface BandGroup {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly range: CoordinateBounds;
}

class Runs {
  readonly #bands: Subranges;
  readonly #range: CoordinateBounds;
  readonly #spill: Spill;
  readonly #workspace: Workspace;
  readonly #runs: Run[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(range: CoordinateBounds, bands: Subranges, spill: Spill, workspace: Workspace) {
    this.#range = range;
    this.#bands = bands;
    this.#spill = spill;
    this.#workspace = workspace;
  }

  /**
   * Spills the first `length` entries of the workspace's source. The source may be refilled once the promise resolves.
   */
  async add(length: number): Promise<void> {
    await this.#writing;
    const target = this.#workspace.target(length);
    const starts = distributeEntries(
      this.#workspace.source,
      length,
      this.#bands,
      target,
      this.#workspace.places(length),
    );
    // The next run is collected while this run is written.
    this.#writing = this.#spill.append(target.bytes(0, length)).then((offset) => {
      this.#runs.push({ offset, length, starts });
    });
    this.#writing.catch(() => undefined);
  }

  /** Waits until all runs are written. @throws {InvalidInputError} if the disk is full or cannot be written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Returns groups of adjacent bands with at most `capacity` entries each. A single band may have more. */
  groups(capacity: number): BandGroup[] {
    const { count } = this.#bands;
    const sizes = new Float64Array(count);
    for (const { starts } of this.#runs) for (let b = 0; b < count; b++) sizes[b] += starts[b + 1] - starts[b];
    const groups: BandGroup[] = [];
    let [from, sum] = [0, 0];
    const close = (to: number) => {
      if (sum > 0) groups.push({ from, to, count: sum, range: getSubrangeBounds(this.#range, this.#bands, from, to) });
      [from, sum] = [to, 0];
    };
    for (let b = 0; b < count; b++) {
      if (sum + sizes[b] > capacity) close(b);
      sum += sizes[b];
    }
    close(count);
    return groups;
  }

  /** Reads a group that fits into `block`. Its entries stay in the order in which they were added. */
  async load({ from, to }: BandGroup, block: EntryBuffer): Promise<void> {
    const reads: Promise<void>[] = [];
    let at = 0;
    for (const run of this.#runs) {
      const [start, end] = [run.starts[from], run.starts[to]];
      reads.push(this.#read(run, [start, end], block, at));
      at += end - start;
    }
    await allSettled(reads);
  }

  /**
   * Reads a group that does not fit into memory, one part at a time, into `block()`. Yields each part's number of
   * entries.
   */
  async *parts({ from, to }: BandGroup, block: () => EntryBuffer): AsyncGenerator<number> {
    const most = this.#workspace.capacity;
    let at = 0;
    for (const run of this.#runs) {
      for (let start = run.starts[from]; start < run.starts[to]; ) {
        const end = Math.min(run.starts[to], start + most - at);
        await this.#read(run, [start, end], block(), at);
        at += end - start;
        start = end;
        if (at < most) continue;
        yield at;
        at = 0;
      }
    }
    if (at > 0) yield at;
  }

  async #read(run: Run, [start, end]: readonly [number, number], block: EntryBuffer, at: number): Promise<void> {
    if (end === start) return;
    const reads: Promise<void>[] = [];
    let { offset } = run;
    for (const target of block.bytes(at, at + end - start)) {
      const width = target.length / (end - start);
      reads.push(this.#spill.read(offset + start * width, target));
      offset += run.length * width;
    }
    await allSettled(reads);
  }
}

/** Waits for all reads, so that no read is still filling the block after another has failed. */
async function allSettled(reads: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(reads)) if (result.status === "rejected") throw result.reason;
}
