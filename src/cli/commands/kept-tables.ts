/** What `annarrow query --cache` keeps of large matrices, beside their companions. */

import { OpenedDataset } from "../../api/opened-dataset.js";
import type { NamedDataset } from "../../session/datasets.js";
import type { CliContext } from "../context/context.js";
import { reportRemoved } from "./index-file.js";

/** The datasets with places in which DuckDB keeps their large matrices. */
export interface CachedDatasets {
  readonly datasets: readonly NamedDataset[];
  readonly folders: readonly string[];
  /** Removes the oldest of what the folder of companions has, where it has too much. */
  keepRoom(): Promise<void>;
}

/** Files whose versions nothing tells apart have no places: `ensureCompanion` has said so. */
export async function keptTablesOf(datasets: readonly NamedDataset[], context: CliContext): Promise<CachedDatasets> {
  const [{ cacheFolder }, { keptTables, TABLES }, { companionPath, sourceName, withinBytes }] = await Promise.all([
    import("../../companion/places.node.js"),
    import("../../companion/kept-tables.node.js"),
    import("../../api/companion.node.js"),
  ]);
  const { companion = "auto", path: within } = context;
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
    const folder = `${await companionPath(named.path, dataset.source, cache)}${TABLES}`;
    const checkUnchanged = () => dataset.checkUnchanged();
    const kept = await keptTables(folder, { source: sourceName(named.path, dataset), identity, checkUnchanged });
    folders.push(kept.folder);
    const prefix = within === undefined ? "" : `${within}/`;
    all.push({ ...named, keptAt: (element) => kept.place(`${prefix}${element}`) });
  }
  return {
    datasets: all,
    folders,
    keepRoom: async () => reportRemoved(await withinBytes(cache, folders)),
  };
}
