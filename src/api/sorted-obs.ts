/** Datasets whose observations are sorted by a column of `obs`. */

import type { ReadOptions } from "../io/sources/source.js";
import { RowCopies } from "../jobs/reorder/row-copies.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { runWithLocation } from "../model/errors.js";
import type { StoredTable } from "../tables/stored-table.js";
import { reorderDataset, withCopyStorage } from "./reordered.js";
import { readDatasetAxisGroups } from "./select.js";

type AnyDataset = TableSet<StoredTable | DataTable>;

export interface SortedBy {
  /** Column of `obs`. */
  readonly column: string;
  /** Names of the tables that will be read; all by default. */
  readonly tables?: readonly string[];
}

/**
 * Calls `action` with the sorted dataset. The dataset is released when `action` ends. If it is already sorted, it is
 * not copied.
 * @throws {NotFoundError} if `obs` has no such column.
 * @throws {InvalidInputError} for a column whose values have no order.
 */
export async function withSortedObs<T>(
  dataset: AnyDataset,
  { column, ...wanted }: SortedBy,
  options: ReadOptions,
  action: (sorted: AnyDataset) => Promise<T>,
): Promise<T> {
  const { positions } = await runWithLocation({ source: dataset.source }, () =>
    readDatasetAxisGroups(dataset, "obs", column, options),
  );
  if (positions.every((position, i) => position === i)) return action(dataset);
  return withCopyStorage(async (storage) =>
    action(await reorderDataset(dataset, { axis: "obs", positions, ...wanted }, new RowCopies(storage), options)),
  );
}
