/** Scans the coordinate table of a sparse matrix restricted to some minor positions. */

import { selectCoordinateRows } from "../../arrow/sparse-part.js";
import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import type { SubsetPlan } from "../plan/plan.js";
import type { Scan } from "./columns.js";
import { scanCoordinate } from "./sparse.js";
import type { Batch } from "./task.js";

/**
 * Yields the selected entries among the stored entries [start, end) of `run`, in stored order and in at least one
 * batch. The number of selected entries is known only after the scan.
 */
export async function* scanSubset({ matrix, minor }: SubsetPlan, run: Scan): AsyncGenerator<Batch> {
  const scan = (fields: readonly number[]) => scanCoordinate(matrix, { ...run, fields });
  yield* selectMinorBatches(minor, matrix.order === "row" ? 1 : 0, run.fields, scan);
}

/**
 * Yields the entries of `scan` that `map` selects, with the columns of the `wanted` fields.
 * @param position the column of minor positions.
 * @param scan yields entries with the columns of the given fields.
 */
export async function* selectMinorBatches(
  map: MinorMap,
  position: number,
  wanted: readonly number[],
  scan: (fields: readonly number[]) => AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  const fields = wanted.includes(position) ? wanted : [...wanted, position];
  const at = fields.indexOf(position);
  for await (const { columns } of scan(fields)) {
    const kept = selectCoordinateRows(map, columns, at);
    yield { length: kept[at].length, columns: kept.slice(0, wanted.length) };
  }
}
