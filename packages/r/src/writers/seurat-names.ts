/** Seurat's names for AnnData elements, independent of the file format. */

/** Returns the reduction name for an element of `obsm`, such as `umap` for `X_umap`. */
export function toReductionName(key: string): string {
  return key.replace(/^X_(?=.)/, "");
}

/**
 * Finds the element of `obsm` whose loadings are `varm/<key>`; null if there is none. In scanpy, the loadings of
 * `X_pca` are named `PCs`.
 * @param has whether `obsm` has an element with the given name.
 */
export function findReduction(key: string, has: (name: string) => boolean): string | null {
  const wanted = key === "PCs" ? ["X_pca"] : [`X_${key}`, key];
  return wanted.find(has) ?? null;
}

/** Columns of `var` that rank the variable features, with the smallest rank first: scanpy's and Seurat's. */
export const RANKS: readonly string[] = ["highly_variable_rank", "var.features.rank"];

/** Sorts names by rank; names without a rank come last. */
export function sortByRank(chosen: readonly { readonly name: string; readonly rank: number }[]): readonly string[] {
  const place = ({ rank }: { readonly rank: number }) => (Number.isNaN(rank) ? Number.MAX_VALUE : rank);
  return chosen.toSorted((a, b) => place(a) - place(b)).map(({ name }) => name);
}

/** Seurat's predefined keys for reductions. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["pca", "PC_"],
  ["tsne", "tSNE_"],
]);

/** Returns the key of a reduction or assay, which is the prefix of its column names: letters and digits, then `_`. */
export function toSeuratKey(name: string): string {
  const own = KEYS.get(name);
  if (own !== undefined) return own;
  const letters = name.replace(/[^A-Za-z0-9]/g, "");
  return `${letters === "" ? "key" : letters}_`;
}
