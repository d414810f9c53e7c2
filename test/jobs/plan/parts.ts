/** Parts of plans by positions, for tests. */

import fc from "fast-check";
import { createPartPlan } from "../../../src/jobs/plan/part-plan.js";
import type { TablePlan } from "../../../src/jobs/plan/plan.js";

export type Positions = readonly number[] | null;

const int32 = (positions: Positions) => (positions === null ? null : Int32Array.from(positions));
/** The part of a table at these rows and columns. */
export const part = (table: TablePlan, rows: Positions, cols: Positions) =>
  createPartPlan(table, int32(rows), int32(cols));
export const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
/** The slow twin: the elements at these positions. */
export const taken = <T>(all: readonly T[], positions: Positions): readonly T[] => positions?.map((i) => all[i]) ?? all;

/** Positions in any order and with repeats, or all. */
export function positionsOf(size: number): fc.Arbitrary<Positions> {
  if (size === 0) return fc.constantFrom<Positions>(null, []);
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(fc.nat(size - 1), { maxLength: 12 }) },
    fc.subarray(upTo(size)),
    fc.constantFrom<Positions>(null, [], upTo(size).reverse()),
  );
}
