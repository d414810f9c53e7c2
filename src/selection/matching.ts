/** Finds the positions of an axis for which a function of some columns holds. */

import type { DataTable } from "../model/dataset.js";
import type { ColumnPredicate } from "../model/selection.js";

/**
 * The positions of the rows of `table` for which the condition holds, which rise. Only the condition's columns are read.
 * @throws {NotFoundError} for a column that the table does not have.
 */
export async function matchingRows(
  table: DataTable,
  { columns, test }: ColumnPredicate,
  signal: AbortSignal | undefined,
): Promise<Int32Array> {
  const positions: number[] = [];
  let first = 0;
  for await (const batch of table.batches({ columns, ...(signal === undefined ? {} : { signal }) })) {
    const vectors = columns.map((_, i) => batch.getChildAt(i));
    for (let row = 0; row < batch.numRows; row++) {
      if (test(...vectors.map((vector) => vector?.get(row)))) positions.push(first + row);
    }
    first += batch.numRows;
  }
  return Int32Array.from(positions);
}
