/** Tells the datasets that consist of modalities, each a dataset of its own below `mod/`. */

import type { Format } from "./dataset.js";

/** Formats whose datasets may have modalities: MuData, and objects of R with several assays or experiments. */
const WITH_MODALITIES: ReadonlySet<Format> = new Set<Format>(["mudata", "r", "h5seurat"]);

/** Formats whose tables have the names of AnnData. */
const NAMED_AS_ANNDATA: ReadonlySet<Format> = new Set<Format>(["anndata", ...WITH_MODALITIES]);

export function isNamedAsAnnData(format: Format): boolean {
  return NAMED_AS_ANNDATA.has(format);
}

export function mayHaveModalities(format: Format): boolean {
  return WITH_MODALITIES.has(format);
}

/** Whether a dataset has modalities: a MuData, or an R object with several assays or experiments. */
export function hasModalities(format: Format, names: Iterable<string>): boolean {
  return format === "mudata" || (mayHaveModalities(format) && [...names].some((name) => name.startsWith("mod/")));
}
