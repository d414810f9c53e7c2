/** Selects consecutive rows of stored arrays, so that a writer can copy the chunks that contain only these rows. */

import { JoinedPointers } from "../../containers/joined/joined-pointers.js";
import { createPickedArray } from "../../containers/picked/picked-array.js";
import { type RowRanges, toRowRanges } from "../../containers/picked/row-ranges.js";
import { hasChunks } from "../../containers/tree/stored-chunks.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { checkIntegers } from "../../kernels/sparse/indptr.js";
import type { RowsPlan, SparsePlan } from "./plan.js";

/**
 * Selects rows of one array, or of a matrix stored by rows. For a matrix, one pointer is read.
 * @returns null if no chunk is known to contain only selected rows. A matrix's chunks contain entries, and only the
 * first row's entries are known to start at the beginning of a chunk.
 */
export async function selectRowRange(
  plan: RowsPlan,
  rows: Int32Array,
  options: ReadOptions = {},
): Promise<RowsPlan | null> {
  const range = toRowRanges(rows);
  if (range.starts.length !== 1) return null;
  if (plan.kind === "columns") {
    const [column, ...others] = plan.columns;
    if (column?.kind !== "array" || others.length > 0) return null;
    const array = createPickedArray(column.array, range);
    return hasChunks(array) ? { kind: "columns", columns: [{ kind: "array", array }] } : null;
  }
  if (plan.kind !== "coordinate" && (plan.kind !== "entries" || plan.minor !== undefined)) return null;
  const matrix = range.starts[0] === 0 ? await firstRows(plan.matrix, rows.length, options) : null;
  return matrix === null ? null : { kind: plan.kind, matrix };
}

async function firstRows(
  { shape, order, nnz: all, data, indices, indptr }: SparsePlan,
  count: number,
  options: ReadOptions,
): Promise<SparsePlan | null> {
  if (order !== "row" || (indptr instanceof JoinedPointers && !(await indptr.isWhole()))) return null;
  const [pointer] = checkIntegers(await indptr.read(count, count + 1, options));
  const nnz = Number(pointer);
  // Invalid pointers are reported by the code that reads the entries.
  if (nnz <= 0 || nnz > all) return null;
  const [values, columns] = [data, indices].map((array) => createPickedArray(array, firstOf(nnz)));
  if (!hasChunks(values) || !hasChunks(columns)) return null;
  const pointers = createPickedArray(indptr, firstOf(count + 1));
  return { shape: [count, shape[1]], order, nnz, data: values, indices: columns, indptr: pointers };
}

function firstOf(count: number): RowRanges {
  return { starts: Float64Array.of(0), ends: Float64Array.of(count) };
}
