/** Scans a sparse matrix as part of a larger matrix: entries `row, col, value` with positions in the larger matrix. */

import type { PrimitiveColumn } from "../../arrow/column.js";
import { sortListEntries } from "../../arrow/sparse-part.js";
import { INT64 } from "../../arrow/type.js";
import { expandPointers } from "../../kernels/sparse/indptr.js";
import type { RepositionedPlan } from "../plan/plan.js";
import type { Scan } from "./columns.js";
import { scanEntries } from "./sparse.js";
import type { Batch } from "./task.js";

/** Yields the entries of the rows [start, end) of `run`, sorted by their new rows and columns. */
export async function* scanRepositioned({ first, ...plan }: RepositionedPlan, run: Scan): AsyncGenerator<Batch> {
  let row = first + run.start;
  for await (const { columns, length } of scanEntries(plan, { ...run, fields: [0] })) {
    const [lists] = columns;
    if (lists.layout !== "list") throw new TypeError("lists of entries expected");
    // Stored lists may be unsorted. Lists whose order changes with the new positions are sorted here.
    const { offsets, child } = plan.minor.rises ? sortListEntries(lists) : lists;
    if (child.layout !== "struct") throw new TypeError("lists of entries expected");
    const [col, value] = child.children;
    const rows = rowColumn(Float64Array.from(offsets), row, run.state.take);
    const all = [rows, col, value];
    yield { length: rows.length, columns: run.fields.map((field) => all[field]) };
    row += length;
  }
}

/** @param first the index of the first list. */
function rowColumn(pointers: Float64Array, first: number, take: (bytes: number) => Uint8Array): PrimitiveColumn {
  const length = pointers[pointers.length - 1];
  const { buffer, byteOffset } = take(8 * length);
  const values = new BigInt64Array(buffer, byteOffset, length);
  expandPointers(pointers, first, 0, length, values);
  return { layout: "primitive", type: INT64, length, validity: null, values };
}
