/** Names of Seurat's parts for AnnData elements, independent of the file format. */

/** The name of a reduction for an element of `obsm`: `umap` for `X_umap`. */
export function toReductionName(key: string): string {
  return key.replace(/^X_(?=.)/, "");
}

/**
 * Finds the element of `obsm` whose loadings are `varm/<key>`; null if there is none. scanpy names the loadings of
 * `X_pca` `PCs`.
 * @param has whether `obsm` has an element of the given name.
 */
export function findReduction(key: string, has: (name: string) => boolean): string | null {
  const wanted = key === "PCs" ? ["X_pca"] : [`X_${key}`, key];
  return wanted.find(has) ?? null;
}

/** Rank columns of `var` for the variable features, smallest rank first: of scanpy, and of Seurat. */
export const RANKS: readonly string[] = ["highly_variable_rank", "var.features.rank"];

/** Sorts names by rank; names without a rank come last. */
export function sortByRank(chosen: readonly { readonly name: string; readonly rank: number }[]): readonly string[] {
  const place = ({ rank }: { readonly rank: number }) => (Number.isNaN(rank) ? Number.MAX_VALUE : rank);
  return chosen.toSorted((a, b) => place(a) - place(b)).map(({ name }) => name);
}

/** Seurat's predefined keys of reductions. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["pca", "PC_"],
  ["tsne", "tSNE_"],
]);

/** Returns the key of a reduction or assay, which prefixes its column names: letters and digits, and `_`. */
export function toSeuratKey(name: string): string {
  const own = KEYS.get(name);
  if (own !== undefined) return own;
  const letters = name.replace(/[^A-Za-z0-9]/g, "");
  return `${letters === "" ? "key" : letters}_`;
}
