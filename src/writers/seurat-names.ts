/** Names of Seurat's parts for elements of AnnData, in whichever file they are written. */

/** The name of a reduction for an element of `obsm`: `umap` for `X_umap`. */
export function reductionName(key: string): string {
  return key.replace(/^X_(?=.)/, "");
}

/**
 * The element of `obsm` whose loadings are `varm/<key>`; null for none. scanpy calls those of `X_pca` `PCs`.
 * @param has whether `obsm` has an element of a name.
 */
export function reductionOf(key: string, has: (name: string) => boolean): string | null {
  const wanted = key === "PCs" ? ["X_pca"] : [`X_${key}`, key];
  return wanted.find(has) ?? null;
}

/** Columns of `var` that order the variable features, the smallest first: scanpy's, and Seurat's. */
export const RANKS: readonly string[] = ["highly_variable_rank", "var.features.rank"];

/** Names in the order of their ranks; those without one come last. */
export function byRank(chosen: readonly { readonly name: string; readonly rank: number }[]): readonly string[] {
  const place = ({ rank }: { readonly rank: number }) => (Number.isNaN(rank) ? Number.MAX_VALUE : rank);
  return chosen.toSorted((a, b) => place(a) - place(b)).map(({ name }) => name);
}

/** Seurat's own keys of reductions. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["pca", "PC_"],
  ["tsne", "tSNE_"],
]);

/** The key of a reduction or an assay, before the names of its columns: letters and digits, and `_`. */
export function keyOf(name: string): string {
  const own = KEYS.get(name);
  if (own !== undefined) return own;
  const letters = name.replace(/[^A-Za-z0-9]/g, "");
  return `${letters === "" ? "key" : letters}_`;
}
