/** Fragments of stored arrays as batches. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR } from "../../arrow/fragments.js";
import { type Batch, rowsOf, type Scan } from "../batch.js";
import type { ScanState } from "../columns.js";
import type { FragmentRun, FragmentsPlan } from "../plan.js";
import { scanFiltered } from "./filtered.js";
import { FragmentReader } from "./reader.js";

/** Bytes of one value of any column. */
const VALUE = 4;

/** The rows [start, end) of `run` in the order of the arrays; where some are selected, all of those. */
export async function* scanFragments(plan: FragmentsPlan, run: Scan): AsyncGenerator<Batch> {
  if (plan.only !== null) return yield* scanFiltered(plan, plan.only, run);
  const { fields, state } = run;
  const perBatch = rowsOf(VALUE * fields.length, run.batchBytes);
  const reader = new FragmentReader(plan, state);
  let yielded = false;
  for (const [from, to] of stretches(plan.runs, run.start, run.end)) {
    for (let at = from; at < to; at += perBatch) {
      yield await reader.batch(at, Math.min(to, at + perBatch), fields);
      yielded = true;
    }
  }
  if (!yielded) yield await reader.batch(0, 0, fields);
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
