/**
 * Sorts coordinate tables of any size by row or by column, within a budget of memory.
 *
 * Entries are collected up to the budget. If all of them fit, they are sorted in memory. Otherwise they are distributed
 * over bands of rows (or columns) and spilled, run by run. Then groups of bands that fit into memory are read from all
 * runs and sorted. A band that is too large is distributed again, over narrower bands.
 */

import type { ColumnBatch } from "../arrow/column.js";
import { wordShapes } from "../arrow/value-words.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { bandsOf, type CoordinateBounds } from "./bands.js";
import { BatchCursor, checkSameType, checkShape, partsOf } from "./collect.js";
import { type BandGroup, Runs } from "./runs.js";
import { type BatchForm, batchOf, sortedBatches, unsortedBatches } from "./sorted-batches.js";
import type { Spill } from "./spill.js";
import { EntryBlock, EntryShape, Workspace } from "./workspace.js";

export const DEFAULT_SORT_BYTES = 96 * 2 ** 20;

/**
 * Number of bands of a run: few enough that a processor writes to all of them quickly, and enough that some thousand
 * runs need no second pass.
 */
const SPILLED_BANDS = 2 ** 9;

export interface SortOptions {
  /** "row": by row, then col; "column": by col, then row. */
  readonly order: "row" | "column";
  /** [rows, columns] of the matrix. */
  readonly shape: readonly [number, number];
  /** Memory for entries in bytes, 96 MiB by default; batches take additional memory. */
  readonly budgetBytes?: number;
  /** Storage for entries that do not fit; null if there is none. It serves one sort at a time. */
  readonly spill: Spill | null;
  readonly signal?: AbortSignal;
}

/**
 * Sorts entries; entries with equal coordinates keep their order. `row` and `col` become Int32.
 * @param batches columns `row`, `col` (integers of any width) and `value` (any type of fixed width), without nulls.
 * @returns batches in new memory: one empty batch if all given batches are empty, none if none is given.
 * @throws {InvalidInputError} for a coordinate out of range, a null, a batch of another type than the first, a full
 * disk.
 * @throws {UnsupportedError} for values whose width varies, and without a spill for more entries than the budget
 * allows.
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
      const parts = partsOf(batch, order, shape, start);
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
  /** The read of the next group, while the present group is yielded. */
  #prefetch: Promise<void> | null = null;

  constructor(form: BatchForm, range: CoordinateBounds, { budgetBytes, spill, signal }: SortResources) {
    this.form = form;
    this.#range = range;
    this.#budget = budgetBytes;
    this.#spill = spill;
    this.#signal = signal;
    this.#workspace = new Workspace(new EntryShape(wordShapes(form.value.type)), budgetBytes);
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
        yield* this.#checked(sortedBatches(this.#workspace, this.#held, { range: this.#range, form: this.form }));
      else yield batchOf(new EntryBlock(this.#workspace.shape, 0), this.form);
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
    return new Runs(range, bandsOf(range, SPILLED_BANDS), this.#spill, this.#workspace);
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
      yield* this.#checked(sortedBatches(workspace, group.count, { range: group.range, form: this.form }, loadNext));
    }
  }

  /** Sorts a band with more entries than fit: distributes it over narrower bands. */
  async *#large(runs: Runs, group: BandGroup): AsyncGenerator<ColumnBatch> {
    const { major, minor } = group.range;
    const parts = runs.parts(group, () => this.#workspace.source);
    if (major[1] - major[0] === 1 && minor[1] - minor[0] === 1) {
      for await (const count of parts) yield* this.#checked(unsortedBatches(this.#workspace, count, this.form));
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
