/** How many entries of a sparse matrix lie in front of a row: what a range of rows will cost, before any of them is read. */

import { firstDecrease, pointersToNumbers } from "../../kernels/sparse/indptr.js";
import { InvalidDataError, located } from "../../model/errors.js";
import type { SparsePlan } from "../plan/plan.js";
import type { ScanState } from "./columns.js";
import { integers } from "./pointers.js";

/**
 * Stored entries in front of each of `positions`, which rise: major positions of the matrix, or how many it has.
 * @throws {InvalidDataError} where the pointers decrease, or point beyond the entries.
 */
export async function entriesBefore(
  { indptr, nnz }: SparsePlan,
  positions: readonly number[],
  state: ScanState,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const position of positions) {
    const values = await state.rows(indptr, position, position + 1);
    found.push(...(await located({ element: indptr.path }, () => pointersToNumbers(integers(values)))));
  }
  // They lie between none and all.
  const wrong = firstDecrease(Float64Array.of(0, ...found, nnz)) - 1;
  if (wrong < 0) return found;
  const [at, problem] =
    wrong < found.length
      ? [wrong, `smaller than ${wrong === 0 ? 0 : found[wrong - 1]} before it`]
      : [wrong - 1, `there are ${nnz} values`];
  throw new InvalidDataError(`indptr[${positions[at]}] is ${found[at]}, ${problem}`, { element: indptr.path });
}
