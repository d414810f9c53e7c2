/** Finds where DuckDB caches the large matrices of datasets, next to their gene indexes. */

import {
  getSourceName,
  type ListedCompanion,
  removeOldestCompanions,
  resolveCompanionPath,
} from "../../api/companion.node.js";
import { OpenedDataset } from "../../api/opened-dataset.js";
import { openCachedTables, TABLES } from "../gene-index/cached-tables.node.js";
import { cacheFolder } from "../gene-index/local-location.node.js";
import type { NamedDataset } from "./datasets.js";

export interface CachedDatasetsOptions {
  /** The folder that contains companions, or `auto` for the user's cache. */
  readonly companion: string;
  /** The group in the file that was opened, if it is not the root. */
  readonly within: string | undefined;
}

/** Datasets with the locations where DuckDB caches their large matrices. */
export interface CachedDatasets {
  readonly datasets: readonly NamedDataset[];
  readonly folders: readonly string[];
  /** Removes the oldest entries from the folder of companions if the folder exceeds its size limit. */
  removeOldest(): Promise<readonly ListedCompanion[]>;
}

/** Opens the folders for cached tables. Files whose version cannot be identified have no folder. */
export async function openCachedDatasets(
  datasets: readonly NamedDataset[],
  { companion, within }: CachedDatasetsOptions,
): Promise<CachedDatasets> {
  const cache = companion === "auto" ? cacheFolder() : companion;
  const folders: string[] = [];
  const all: NamedDataset[] = [];
  for (const named of datasets) {
    const dataset = named.dataset instanceof OpenedDataset ? named.dataset : null;
    const identity = (await dataset?.companion?.identity()) ?? "it is no file";
    if (dataset === null || typeof identity === "string") {
      all.push(named);
      continue;
    }
    const folder = `${await resolveCompanionPath(named.path, dataset.source, cache)}${TABLES}`;
    const checkUnchanged = () => dataset.checkUnchanged();
    const kept = await openCachedTables(folder, {
      source: getSourceName(named.path, dataset),
      identity,
      checkUnchanged,
    });
    folders.push(kept.folder);
    const prefix = within === undefined ? "" : `${within}/`;
    all.push({ ...named, keptAt: (element) => kept.place(`${prefix}${element}`) });
  }
  return { datasets: all, folders, removeOldest: () => removeOldestCompanions(cache, folders) };
}
