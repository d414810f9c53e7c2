/** Scans fragments of stored arrays and yields them as batches. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR, createUint32Column, nameColumn, START } from "../../arrow/fragments.js";
import { Bp128Array } from "../../containers/bp128/bp128-array.js";
import type { Unpacker } from "../../containers/bp128/packed-integers.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { type Bp128Page, CHUNK, PAGE_VALUES } from "../../kernels/bp128/page.js";
import { createBp128Pages } from "../../kernels/bp128/pages.js";
import { runWithLocation } from "../../model/errors.js";
import type { FragmentRange, FragmentsPlan } from "../plan/plan.js";
import type { Scan, ScanState } from "../rows/columns.js";
import { computePageBatchRows, copyPageValues } from "../rows/packed-coordinate.js";
import { type Batch, computeRowsPerBatch } from "../rows/task.js";
import { scanFiltered } from "./filtered.js";
import { FragmentReader } from "./reader.js";

export { scanFragmentLines } from "./lines.js";

const VALUE = 4;

/**
 * Yields the rows [start, end) of `run` in the order of the arrays. A plan with a filter yields all selected fragments,
 * because their number is not known in advance.
 */
export async function* scanFragments(plan: FragmentsPlan, run: Scan): AsyncGenerator<Batch> {
  if (plan.only !== null) return yield* scanFiltered(plan, plan.only, run);
  const { fields, state } = run;
  const perBatch = computeRowsPerBatch(VALUE * fields.length, run.batchBytes);
  const reader = new FragmentReader(plan, state);
  const pages = perBatch <= PAGE_VALUES && run.start < run.end ? await FragmentPages.of(plan) : null;
  if (pages !== null) {
    return yield* scanPages(plan, run, { perBatch: computePageBatchRows(perBatch, PAGE_VALUES), reader, pages });
  }
  let yielded = false;
  for (const [from, to] of stretches(plan.runs, run.start, run.end)) {
    for (let at = from; at < to; at += perBatch) {
      yield await reader.batch(at, Math.min(to, at + perBatch), fields);
      yielded = true;
    }
  }
  if (!yielded) yield await reader.batch(0, 0, fields);
}

/** Yields the rows of `run` page by page. No batch extends past the end of its page. */
async function* scanPages(
  { chrNames, cellNames, runs, start }: FragmentsPlan,
  { start: first, end: last, fields, state }: Scan,
  {
    perBatch,
    reader,
    pages,
  }: { readonly perBatch: number; readonly reader: FragmentReader; readonly pages: FragmentPages },
): AsyncGenerator<Batch> {
  try {
    const chromosomes = fields.includes(CHR) ? await state.names(chrNames) : null;
    const cells = fields.includes(CELL) ? await state.names(cellNames) : null;
    for (const [from, to] of stretches(runs, first, last)) {
      for (let base = from; base < to; base = FragmentPages.stop(base, to)) {
        const stop = FragmentPages.stop(base, to);
        const page = await pages.load(base, stop, state.options);
        await runWithLocation({ element: start.path }, () => reader.checkOrder(page.starts, base, stop, page.rises));
        for (let at = base; at < stop; at += perBatch) {
          const until = Math.min(stop, at + perBatch);
          const copied = (values: Uint32Array) => copyPageValues(values, at - base, until - at);
          const columns = fields.map((field): Column => {
            if (field === CHR && chromosomes !== null) return nameColumn(reader.chromosomes(at, until), chromosomes);
            if (field !== CELL || cells === null) {
              return createUint32Column(new Uint32Array(copied(field === START ? page.starts : page.ends)));
            }
            return nameColumn(new Int32Array(copied(page.cells)), cells);
          });
          yield { length: until - at, columns };
        }
      }
    }
  } finally {
    await pages.end();
  }
}

/** Reads the dictionaries of the `selected` fields, in the thread that assembles batches. */
export function readFragmentDictionaries(
  { chrNames, cellNames }: FragmentsPlan,
  selected: readonly number[],
  state: ScanState,
): Promise<(Column | null)[]> {
  return Promise.all(
    selected.map((field) => (field === CHR ? state.names(chrNames) : field === CELL ? state.names(cellNames) : null)),
  );
}

/** Converts the rows [start, end), counted across all runs, to ranges of the arrays. Adjacent ranges are joined. */
function stretches(runs: readonly FragmentRange[], start: number, end: number): [from: number, to: number][] {
  const found: [number, number][] = [];
  let row = 0;
  for (const run of runs) {
    const from = run.start + Math.max(0, start - row);
    const to = Math.min(run.end, run.start + end - row);
    row += run.end - run.start;
    if (from >= to) continue;
    const last = found.at(-1);
    if (last !== undefined && last[1] === from) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}

/** Three pages in shared memory, so that lengths can be converted to ends in place. */
type Pages = readonly [start: Bp128Page, end: Bp128Page, cell: Bp128Page];

/** Pages available for reuse. A scan allocates new pages if there are none. */
const free: Pages[] = [];
const MAX_FREE = 2;

/** A page of fragments: starts, ends and cells, each as long as the loaded range. */
export interface FragmentPageValues {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly cells: Uint32Array;
  /** Whether the starts never decrease. */
  readonly rises: boolean;
}

class FragmentPages {
  readonly #pages: Pages;
  readonly #unpackers: readonly Unpacker[];

  private constructor(pages: Pages, unpackers: readonly Unpacker[]) {
    this.#pages = pages;
    this.#unpackers = unpackers;
  }

  /** Creates pages for a plan. Returns null if an array is not packed or cells cannot be checked while unpacking. */
  static async of({ start, end, cell, endIsLength, cellNames }: FragmentsPlan): Promise<FragmentPages | null> {
    const arePacked = start instanceof Bp128Array && end instanceof Bp128Array && cell instanceof Bp128Array;
    const names = cellNames.shape?.[0] ?? 0;
    if (!arePacked || !endIsLength || cell.limit === null || cell.limit > names) return null;
    const pages = free.pop() ?? (await newPages());
    const [startPage, endPage, cellPage] = pages;
    return new FragmentPages(pages, [start.unpacker(startPage), end.unpacker(endPage), cell.unpacker(cellPage)]);
  }

  /** Returns the end of the page that contains `at`, at most `end`. */
  static stop(at: number, end: number): number {
    return Math.min(end, at - (at % CHUNK) + PAGE_VALUES);
  }

  /**
   * Loads the fragments [from, to), which must be in one page (see `stop`). The values are valid until the next call.
   */
  async load(from: number, to: number, options: ReadOptions): Promise<FragmentPageValues> {
    for (const unpacker of this.#unpackers) {
      if (!unpacker.loadNow(from, to)) await unpacker.load(from, to, options);
    }
    const base = from - (from % CHUNK);
    const [start, end, cell] = this.#pages;
    end.add(start, to - base);
    const values = (page: Bp128Page) => page.values.subarray(from - base, to - base);
    return { starts: values(start), ends: values(end), cells: values(cell), rises: !start.falls(to - base) };
  }

  async end(): Promise<void> {
    for (const unpacker of this.#unpackers) await unpacker.end();
    if (free.length < MAX_FREE) free.push(this.#pages);
  }
}

async function newPages(): Promise<Pages> {
  const [start, end, cell] = await createBp128Pages(3);
  return [start, end, cell];
}
