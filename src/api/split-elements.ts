/** Matrices and fragments that are split along the axis by which they are not stored: their parts are read from copies. */

import type { CopyStorage } from "../jobs/reorder/copy-storage.js";
import type { PositionGroups } from "../jobs/reorder/split-plan.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { type AnnarrowError, isRefusal } from "../model/errors.js";
import { hasModalities } from "../model/modalities.js";
import { modalityGroups } from "../selection/modalities.js";
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

/** The part of a dataset that is a group, with the elements that were split. */
export type WithSplitElements = (part: AnyDataset, group: number) => Promise<AnyDataset>;

/**
 * Copies the matrices that are stored by the other axis than `axis`, and fragments, each in one pass. Of a modality of a
 * MuData, whose positions follow from maps, those are copied whose order the maps keep.
 */
export async function splitElements(
  dataset: AnyDataset,
  { axis, tables: wanted, ...groups }: SplitOfDataset,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<WithSplitElements> {
  if (groups.ends.length < 2) return async (part) => part;
  const axes = await DatasetAxes.of(dataset, dataset.tables);
  const along = new Map<string, PositionGroups>([[axes.main[axis], groups]]);
  if (hasModalities(dataset.format, dataset.tables.keys())) {
    const own = await modalityGroups(await storedTables(dataset), axis, groups, options);
    for (const [name, ofModality] of own) along.set(name, ofModality);
  }
  const splits = new Map<string, TableSplit>();
  const failures = new Map<string, AnnarrowError>();
  for (const [name, table] of dataset.tables) {
    const [first, second] = axes.axesOf(name).map((one) => (one === null ? undefined : along.get(one)));
    const own = first ?? second;
    if (own === undefined || (first !== undefined && second !== undefined) || wanted?.includes(name) === false)
      continue;
    try {
      const split = await (await stored(table))?.split({ ...own, place: own === first ? 0 : 1 }, storage, options);
      if (split !== null && split !== undefined) splits.set(name, split);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // An output of broken fragments is read as it is stored, and so has the error: fragments alone cannot be left out.
      if (table.metadata.kind !== "fragments") failures.set(name, error);
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

async function storedTables({ tables }: AnyDataset): Promise<ReadonlyMap<string, StoredTable>> {
  const all = new Map<string, StoredTable>();
  for (const [name, table] of tables) {
    const own = await stored(table);
    if (own !== null) all.set(name, own);
  }
  return all;
}

async function stored(table: PartTable): Promise<StoredTable | null> {
  return table instanceof StoredTable ? table : storedOf(table);
}
