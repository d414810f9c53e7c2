/** Run-end encoded values and list views as plain columns. */

import type { Data } from "apache-arrow";
import { bitAt } from "../../kernels/values/bitmap.js";
import { InvalidDataError } from "../../model/errors.js";
import { type GatherBudget, gather } from "./gather.js";

type Integers = Int16Array | Int32Array | BigInt64Array;

/**
 * `length` rows of runs.
 * @param ends the row behind each run; a run ends behind the one before it, the last one at `length` or behind it.
 */
export function unfoldRuns(ends: Data, values: Data, length: number, budget: GatherBudget): Data {
  const name = budget.column;
  if (ends.nullCount > 0) throw new InvalidDataError(`${name} has ${ends.nullCount} run ends that are missing`);
  if (values.length < ends.length) {
    throw new InvalidDataError(`${name} has ${ends.length} runs, ${values.length} values`);
  }
  budget.take(4 * length);
  const rows = new Int32Array(length);
  const given: Integers = ends.values;
  let before = 0;
  for (let run = 0; run < ends.length; run++) {
    const end = Number(given[run]);
    if (end <= before) throw new InvalidDataError(`${name} has the run end ${end} behind ${before}`);
    if (before < length) rows.fill(run, before, Math.min(end, length));
    before = end;
  }
  if (before < length) throw new InvalidDataError(`${name} has runs of ${before} rows, expected ${length}`);
  return gather(values, rows, budget);
}

export interface ListViews {
  readonly starts: Int32Array | BigInt64Array;
  readonly sizes: Int32Array | BigInt64Array;
  /** Undefined where nothing is missing; under what is missing anything may stand. */
  readonly bitmap: Uint8Array | undefined;
}

/** The child of a list, and the sizes of its lists added up. */
export interface PlainLists {
  /** One more than there are lists. */
  readonly ends: Float64Array;
  readonly child: Data;
}

/** Lists that lie anywhere in `child`, one behind the other. */
export function unfoldLists({ starts, sizes, bitmap }: ListViews, child: Data, budget: GatherBudget): PlainLists {
  const { length } = starts;
  const ends = new Float64Array(length + 1);
  const from = new Float64Array(length);
  let inOrder = true;
  for (let i = 0; i < length; i++) {
    const isThere = bitmap === undefined || bitAt(bitmap, i);
    const [start, size] = isThere ? [Number(starts[i]), Number(sizes[i])] : [0, 0];
    if (start < 0 || size < 0 || start + size > child.length) {
      const list = `${start} to ${start + size}`;
      throw new InvalidDataError(`${budget.column} has the values ${list} in row ${i}, there are ${child.length}`);
    }
    inOrder &&= size === 0 || start === ends[i];
    from[i] = start;
    ends[i + 1] = ends[i] + size;
  }
  if (inOrder) return { ends, child };
  const total = ends[length];
  budget.take(4 * total);
  const rows = new Int32Array(total);
  for (let i = 0; i < length; i++) {
    for (let at = ends[i], item = from[i]; at < ends[i + 1]; at++, item++) rows[at] = item;
  }
  return { ends, child: gather(child, rows, budget) };
}
