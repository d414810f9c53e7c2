/** Matrices that are split along the axis by which they are not stored: their parts are read from copies. */

import type { CopyStorage } from "../jobs/reorder/copy-storage.js";
import type { PositionGroups } from "../jobs/reorder/split-plan.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { type AnnarrowError, isAnnarrowError } from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";
import { StoredTable, type TableSplit } from "../tables/stored-table.js";
import { DatasetAxes } from "./dataset-axes.js";
import { openedDataset } from "./opened-dataset.js";
import { type PartTable, storedOf } from "./renamed-dataset.js";

type AnyDataset = TableSet<StoredTable | DataTable>;

export interface SplitOfDataset extends PositionGroups {
  readonly axis: "obs" | "var";
  /** Names of the tables that will be read; all by default. */
  readonly tables?: readonly string[];
}

/** The part of a dataset that is a group, with the matrices that were split. */
export type WithSplitMatrices = (part: AnyDataset, group: number) => Promise<AnyDataset>;

/**
 * Copies the matrices that are stored by the other axis than `axis`, each in one pass. Modalities of a MuData are not
 * copied: their positions follow from maps.
 */
export async function splitMatrices(
  dataset: AnyDataset,
  { axis, tables: wanted, ...groups }: SplitOfDataset,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<WithSplitMatrices> {
  if (dataset.format === "mudata" || groups.ends.length < 2) return async (part) => part;
  const axes = await DatasetAxes.of(dataset, dataset.tables);
  const main = axes.main[axis];
  const splits = new Map<string, TableSplit>();
  const failures = new Map<string, AnnarrowError>();
  for (const [name, table] of dataset.tables) {
    const [first, second] = axes.axesOf(name);
    if ((first === main) === (second === main) || wanted?.includes(name) === false) continue;
    try {
      const split = await (await stored(table))?.split({ ...groups, place: first === main ? 0 : 1 }, storage, options);
      if (split !== null && split !== undefined) splits.set(name, split);
    } catch (error) {
      if (!isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
      failures.set(name, error);
    }
  }
  return async (part, group) => {
    if (splits.size === 0 && failures.size === 0) return part;
    const tables = new Map<string, PartTable>();
    for (const [name, table] of part.tables) {
      const own = failures.has(name) ? null : splits.get(name);
      if (own === null) continue;
      const whole = own === undefined ? null : await stored(table);
      tables.set(name, whole === null || own === undefined ? table : own(whole, group));
    }
    const { format, version, container, shape, source, warnings } = part;
    return openedDataset(
      {
        ...{ format, version, container, shape, source, warnings, close: async () => undefined },
        failures: new Map([...part.failures, ...failures]),
      },
      tables,
    );
  };
}

async function stored(table: PartTable): Promise<StoredTable | null> {
  return table instanceof StoredTable ? table : storedOf(table);
}
