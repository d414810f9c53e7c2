/** Reads fragments of stored arrays by ranges. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR, createUint32Column, END, nameColumn, START } from "../../arrow/fragments.js";
import { Bp128Array } from "../../containers/bp128/bp128-array.js";
import { readIntervals } from "../../containers/bp128/bp128-intervals.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { convertLengthsToEnds, findFirstDescent } from "../../kernels/fragments/fragments.js";
import { findOutOfRangeIndex, loadIndexKernels } from "../../kernels/sparse/indices.js";
import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import type { FragmentRange, FragmentsPlan } from "../plan/plan.js";
import type { ScanState } from "../rows/columns.js";
import type { Batch } from "../rows/task.js";

const VALUE = 4;

const NONE = new Uint32Array(0);

export interface Positions {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Reads ranges of the arrays, checks the values, and turns stored lengths into ends. */
export class FragmentReader {
  readonly #plan: FragmentsPlan;
  readonly #state: ScanState;
  readonly #cells: number;
  /** The last start that was read, and the index after it. */
  #last = { next: -1, start: 0 };

  constructor(plan: FragmentsPlan, state: ScanState) {
    this.#plan = plan;
    this.#state = state;
    this.#cells = plan.picked?.ids.length ?? plan.cellNames.shape?.[0] ?? 0;
  }

  /** Reads the selected fields of the fragments [from, to). */
  async batch(from: number, to: number, fields: readonly number[]): Promise<Batch> {
    const { chrNames, cellNames } = this.#plan;
    const withEnds = fields.includes(END);
    const { starts, ends } =
      withEnds || fields.includes(START) ? await this.positions(from, to, withEnds) : { starts: NONE, ends: NONE };
    const columns: Column[] = [];
    for (const field of fields) {
      if (field === CHR) columns.push(nameColumn(this.chromosomes(from, to), await this.#state.names(chrNames)));
      else if (field === CELL) columns.push(nameColumn(await this.cells(from, to), await this.#state.names(cellNames)));
      else columns.push(createUint32Column(field === START ? starts : ends));
    }
    return { length: to - from, columns };
  }

  /**
   * Reads the starts, and the ends if requested.
   * @throws {InvalidDataError} if a fragment begins before its predecessor on the chromosome. The search for a range
   * relies on ordered starts.
   */
  async positions(from: number, to: number, withEnds: boolean): Promise<Positions> {
    const { start, end, endIsLength } = this.#plan;
    if (withEnds && endIsLength && start instanceof Bp128Array && end instanceof Bp128Array) {
      const found = { starts: this.#take(to - from), ends: this.#take(to - from) };
      const rises = await readIntervals(start, end, [from, to], found, this.#state.options);
      await this.checkOrder(found.starts, from, to, rises);
      return found;
    }
    const starts = await this.#words(start, from, to);
    await this.checkOrder(starts, from, to, false);
    const ends = withEnds ? await this.#words(end, from, to) : NONE;
    // Stored lengths are unpacked into memory that only this call uses, so they may be overwritten.
    if (withEnds && endIsLength) convertLengthsToEnds(ends, starts);
    return { starts, ends };
  }

  /**
   * Checks the starts of the fragments [from, to).
   * @param rises true if the starts never decrease, in which case only the first start is checked.
   * @throws {InvalidDataError} if a start is less than its predecessor on the chromosome.
   */
  async checkOrder(starts: Uint32Array, from: number, to: number, rises: boolean): Promise<void> {
    const { start, runs } = this.#plan;
    for (let i = firstBehind(runs, from); i < runs.length && runs[i].start < to; i++) {
      const begin = Math.max(runs[i].start, from);
      const before = begin > runs[i].start ? await this.#startBefore(begin) : 0;
      const first = begin - from;
      const last = Math.min(runs[i].end, to) - from;
      const wrong = starts[first] < before ? first : rises ? -1 : findFirstDescent(starts, first, last);
      if (wrong < 0) continue;
      const other = wrong === first ? before : starts[wrong - 1];
      throw new InvalidDataError(
        `fragment ${from + wrong} begins at ${starts[wrong]}, the one before it on the same chromosome at ${other}`,
        { element: start.path },
      );
    }
    if (to > from) this.#last = { next: to, start: starts[to - from - 1] };
  }

  /**
   * Reads the cells of the fragments [from, to), as indices of cell names.
   * @throws {InvalidDataError} if a cell has no name.
   */
  async cells(from: number, to: number): Promise<Int32Array> {
    const { cell } = this.#plan;
    const [values] = await Promise.all([this.#words(cell, from, to), loadIndexKernels(to - from)]);
    const isChecked = cell instanceof Bp128Array && cell.limit !== null && cell.limit <= this.#cells;
    const wrong = isChecked ? -1 : findOutOfRangeIndex(values, this.#cells);
    if (wrong >= 0) {
      const problem = `fragment ${from + wrong} is of cell ${values[wrong]}, there are names for ${this.#cells}`;
      throw new InvalidDataError(problem, { element: cell.path });
    }
    return new Int32Array(values.buffer, values.byteOffset, values.length);
  }

  chromosomes(from: number, to: number): Int32Array {
    const { runs } = this.#plan;
    const { buffer, byteOffset } = this.#state.take(VALUE * (to - from));
    const out = new Int32Array(buffer, byteOffset, to - from);
    for (let i = firstBehind(runs, from); i < runs.length && runs[i].start < to; i++) {
      const { chr, start, end } = runs[i];
      out.fill(chr, Math.max(0, start - from), Math.min(end, to) - from);
    }
    return out;
  }

  #take(count: number): Uint32Array {
    const { buffer, byteOffset } = this.#state.take(VALUE * count);
    return new Uint32Array(buffer, byteOffset, count);
  }

  async #startBefore(at: number): Promise<number> {
    const { next, start } = this.#last;
    return next === at ? start : (await this.#words(this.#plan.start, at - 1, at))[0];
  }

  #words(array: StoredArray, from: number, to: number): Promise<Uint32Array> {
    return runWithLocation({ element: array.path }, async () => {
      const read = await this.#state.rows(array, from, to);
      if (read.kind === "fixed" && read.values instanceof Uint32Array) return read.values;
      throw new InvalidDataError("no unsigned 32-bit integers");
    });
  }
}

/** Returns the index of the first run that ends after `at`. */
function firstBehind(runs: readonly FragmentRange[], at: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (runs[middle].end > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
