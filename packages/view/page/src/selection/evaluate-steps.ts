/** Evaluates steps to a mask. Each step marks some cells, and combines them with the previous mask. */

import { type CellValues, missingCode } from "../data/cell-values.js";
import { inSlices } from "../data/slices.js";
import { markInside } from "./polygon.js";
import type { SelectionStep } from "./selection-steps.js";

export interface StepSource {
  readonly cells: number;
  values(column: string, signal: AbortSignal): Promise<CellValues>;
  coordinate(table: string, column: string, signal: AbortSignal): Promise<ArrayLike<number>>;
  /** Positions of the cells that meet a condition. */
  positions(filter: string, signal: AbortSignal): AsyncIterable<ArrayLike<number | bigint>>;
}

/**
 * Applies steps, in order, to a mask and returns a new mask.
 * @param before the mask to which the steps are applied; null for all cells.
 */
export async function evaluateSteps(
  steps: readonly SelectionStep[],
  source: StepSource,
  before: Uint8Array | null,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  if (steps.length === 0) return before;
  const mask = before?.slice() ?? new Uint8Array(source.cells).fill(1);
  const marked = new Uint8Array(source.cells);
  for (const step of steps) {
    signal.throwIfAborted();
    if (step.by !== "invert") await mark(step, source, marked, signal);
    await inSlices(mask.length, (from, to) => join(step, mask, marked, from, to), { signal });
  }
  return mask;
}

function join(step: SelectionStep, mask: Uint8Array, marked: Uint8Array, from: number, to: number): void {
  const mode = step.by === "invert" ? "invert" : step.mode;
  for (let at = from; at < to; at++) {
    const [one, other] = [mask[at] as number, marked[at] as number];
    if (mode === "within") mask[at] = one & other;
    else if (mode === "add") mask[at] = one | other;
    else if (mode === "remove") mask[at] = one & (1 - other);
    else mask[at] = 1 - one;
  }
}

type MarkingStep = Exclude<SelectionStep, { by: "invert" }>;

async function mark(step: MarkingStep, source: StepSource, marked: Uint8Array, signal: AbortSignal): Promise<void> {
  switch (step.by) {
    case "lasso": {
      const [xs, ys] = await Promise.all(step.columns.map((column) => source.coordinate(step.table, column, signal)));
      if (xs !== undefined && ys !== undefined) await markInside(step.polygon, xs, ys, marked, signal);
      return;
    }
    case "values":
      return markValues(await source.values(step.column, signal), step, marked, signal);
    case "range":
      return markRange(await source.values(step.column, signal), step, marked, signal);
    case "filter":
      marked.fill(0);
      for await (const positions of source.positions(step.filter, signal)) {
        for (let at = 0; at < positions.length; at++) marked[Number(positions[at])] = 1;
      }
      return;
    default:
      step satisfies never;
  }
}

async function markValues(
  found: CellValues,
  { column, values }: MarkingStep & { by: "values" },
  marked: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (found.kind === "numbers") {
    const wanted = new Set(values.map((value) => (value === null ? Number.NaN : Number(value))));
    const numbers = found.values;
    const each = (from: number, to: number) => {
      for (let at = from; at < to; at++) marked[at] = wanted.has(numbers[at] as number) ? 1 : 0;
    };
    return inSlices(marked.length, each, { signal });
  }
  const { codes, categories } = found;
  const isWanted = new Uint8Array(missingCode(codes) + 1);
  for (const value of values) {
    const code = value === null ? missingCode(codes) : categories.indexOf(value);
    if (code === -1) throw new RangeError(`${column} has no value ${JSON.stringify(value)}`);
    isWanted[code] = 1;
  }
  const each = (from: number, to: number) => {
    for (let at = from; at < to; at++) marked[at] = isWanted[codes[at] as number] as number;
  };
  await inSlices(marked.length, each, { signal });
}

async function markRange(
  found: CellValues,
  { column, range: [low, high] }: MarkingStep & { by: "range" },
  marked: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (found.kind !== "numbers") throw new TypeError(`${column} has no numbers`);
  const { values } = found;
  const each = (from: number, to: number) => {
    for (let at = from; at < to; at++)
      marked[at] = (values[at] as number) >= low && (values[at] as number) <= high ? 1 : 0;
  };
  await inSlices(marked.length, each, { signal });
}
