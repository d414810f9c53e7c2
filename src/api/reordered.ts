/** Reorders the positions along an axis. Tables are then read from copies of the rows instead of the stored rows. */

import type { ReadOptions } from "../io/sources/source.js";
import { createSpill } from "../jobs/external-sort/create-spill.js";
import { CopyStorage } from "../jobs/reorder/copy-storage.js";
import type { RowCopies } from "../jobs/reorder/row-copies.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { type AnnarrowError, isUnsupportedOrInvalid, runWithLocation, UnsupportedError } from "../model/errors.js";
import { StoredTable } from "../tables/stored-table.js";
import { createOpenedDataset, type OpenedDataset, type OpenedTable } from "./opened-dataset.js";
import { selectDatasetPart } from "./select.js";

/** Positions of an axis in the wanted order. */
export interface AxisOrder {
  readonly axis: "obs" | "var";
  readonly positions: Int32Array;
  /** Names of the tables that will be read; all by default. */
  readonly tables?: readonly string[];
}

/**
 * Selects the positions in the given order, and copies the tables whose rows are along the axis. Each of these tables
 * is read once, in stored order.
 */
export async function reorderDataset(
  dataset: TableSet<StoredTable | DataTable>,
  { axis, positions, tables: wanted }: AxisOrder,
  copies: RowCopies,
  options: ReadOptions,
): Promise<OpenedDataset<OpenedTable>> {
  const { format, version, container, source, warnings } = dataset;
  const part = await runWithLocation({ source }, () => selectDatasetPart(dataset, { [axis]: positions, ...options }));
  const tables = new Map<string, StoredTable | DataTable>();
  const failures = new Map<string, AnnarrowError>(part.failures);
  for (const [name, table] of part.tables) {
    if (!(table instanceof StoredTable) || (wanted !== undefined && !wanted.includes(name))) {
      tables.set(name, table);
      continue;
    }
    try {
      tables.set(name, await table.copied(copies, { source, format, tables }, options));
    } catch (error) {
      if (!isUnsupportedOrInvalid(error)) throw error;
      failures.set(name, error);
    }
  }
  const close = async () => undefined;
  return createOpenedDataset(
    { format, version, container, shape: part.shape, source, failures, warnings, close },
    tables,
  );
}

/**
 * Calls `action` with storage for copies. The storage is released when `action` ends.
 * @throws {UnsupportedError} if no temporary file can be written.
 */
export async function withCopyStorage<T>(action: (storage: CopyStorage) => Promise<T>): Promise<T> {
  const spill = await createSpill();
  if (spill === null) throw new UnsupportedError("rows are put in order where a temporary file can be written");
  try {
    return await action(new CopyStorage(spill));
  } finally {
    await spill.remove();
  }
}
