/** Fragments of stored arrays as batches. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR, nameColumn, positionColumn, START } from "../../arrow/fragments.js";
import { PAGE_VALUES } from "../../kernels/bp128/page.js";
import { located } from "../../model/errors.js";
import { pageCopy, pageParts } from "../memory/page-copy.js";
import type { FragmentRun, FragmentsPlan } from "../plan/plan.js";
import { type Batch, rowsOf } from "../rows/batch.js";
import type { Scan, ScanState } from "../rows/columns.js";
import { scanFiltered } from "./filtered.js";
import { FragmentPages } from "./pages.js";
import { FragmentReader } from "./reader.js";

/** Bytes of one value of any column. */
const VALUE = 4;

/** The rows [start, end) of `run` in the order of the arrays; where some are selected, all of those. */
export async function* scanFragments(plan: FragmentsPlan, run: Scan): AsyncGenerator<Batch> {
  if (plan.only !== null) return yield* scanFiltered(plan, plan.only, run);
  const { fields, state } = run;
  const perBatch = rowsOf(VALUE * fields.length, run.batchBytes);
  const reader = new FragmentReader(plan, state);
  const pages = perBatch <= PAGE_VALUES && run.start < run.end ? await FragmentPages.of(plan) : null;
  if (pages !== null) {
    return yield* scanPages(plan, run, { perBatch: pageParts(perBatch, PAGE_VALUES), reader, pages });
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

/** The same page by page, in batches that end with it. */
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
        await located({ element: start.path }, () => reader.checkOrder(page.starts, base, stop, page.rises));
        for (let at = base; at < stop; at += perBatch) {
          const until = Math.min(stop, at + perBatch);
          const copied = (values: Uint32Array) => pageCopy(values, at - base, until - at);
          const columns = fields.map((field): Column => {
            if (field === CHR && chromosomes !== null) return nameColumn(reader.chromosomes(at, until), chromosomes);
            if (field !== CELL || cells === null) {
              return positionColumn(new Uint32Array(copied(field === START ? page.starts : page.ends)));
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

/** The dictionaries of the fields `selected`, read where batches are put together. */
export function fragmentDictionaries(
  { chrNames, cellNames }: FragmentsPlan,
  selected: readonly number[],
  state: ScanState,
): Promise<(Column | null)[]> {
  return Promise.all(
    selected.map((field) => (field === CHR ? state.names(chrNames) : field === CELL ? state.names(cellNames) : null)),
  );
}

/** The rows [start, end) of all runs one after another, as ranges of the arrays; neighbours are joined. */
function stretches(runs: readonly FragmentRun[], start: number, end: number): [from: number, to: number][] {
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
