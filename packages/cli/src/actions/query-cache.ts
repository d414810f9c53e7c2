/** `annarrow query --cache`: copies of matrices by gene, and the large matrices that DuckDB caches beside them. */

import type { NamedDataset } from "annarrow/core/query";
import { type CachedDatasets, openCachedDatasets } from "annarrow/node/query";
import type { CliContext } from "../context/context.js";
import { ensureCompanion, reportRemoved } from "./copy-by-genes.js";

/** Copies by gene the matrices of all files that have no copy yet. */
export async function copyInputs(inputs: readonly { readonly path: string }[], context: CliContext): Promise<void> {
  for (const { path } of inputs) await ensureCompanion(path, context);
}

interface QueryCache extends Pick<CachedDatasets, "datasets" | "folders"> {
  /** Removes the oldest copies if their folder exceeds its size limit, and reports them. */
  makeRoom(): Promise<void>;
}

/** Files whose version cannot be identified get no location; `copyInputs` has already reported these files. */
export async function openQueryCache(
  given: readonly NamedDataset[],
  { companion = "auto", path }: CliContext,
): Promise<QueryCache> {
  const { datasets, folders, removeOldest } = await openCachedDatasets(given, { companion, within: path });
  return { datasets, folders, makeRoom: async () => reportRemoved(await removeOldest()) };
}
