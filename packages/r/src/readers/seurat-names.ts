/** AnnData's names for the parts of Seurat objects, and lookup of names in other lists. Used for all file formats. */

import { InvalidDataError } from "annarrow";

/** Returns the layer that becomes X: normalised values, else counts, else the only layer. */
export function pickMainLayer(names: readonly string[]): string | null {
  if (names.includes("data")) return "data";
  if (names.includes("counts")) return "counts";
  return names.length === 1 ? names[0] : null;
}

export function toModalityName(name: string): string {
  return name.replaceAll("/", "_");
}

/**
 * Returns the path prefix of a part, which is a modality of the dataset. If the dataset is itself a modality, the part
 * becomes another modality beside it.
 */
export function getModalityPath(prefix: string, name: string): string {
  const own = toModalityName(name);
  return prefix === "" ? `mod/${own}/` : `${prefix.slice(0, -1)}.${own}/`;
}

/** Whether a column ranks variable features, as written by Seurat 5 and scanpy. */
export function isRank(column: string): boolean {
  return /^(var\.features\.rank|vf_.+_rank|highly_variable_rank)$/.test(column);
}

/**
 * Returns the rank of each feature among the variable features, or NaN for other features. Returns null if the features
 * are already in rank order.
 */
export function computeFeatureRanks(variable: readonly string[], features: readonly string[]): Float64Array | null {
  const places = new Map(variable.map((name, i) => [name, i]));
  const ranks = Float64Array.from(features, (name) => places.get(name) ?? Number.NaN);
  const known = ranks.filter((rank) => !Number.isNaN(rank));
  return known.some((rank, i) => i > 0 && rank < known[i - 1]) ? ranks : null;
}

export function hasSameNames(names: readonly string[], all: readonly string[]): boolean {
  return names.length === all.length && names.every((name, i) => name === all[i]);
}

/**
 * Returns the positions of `names` in `all`; null if both are equal.
 * @param what noun for a name, for messages.
 * @throws {InvalidDataError} for unknown and repeated names.
 */
export function findNamePositions(names: readonly string[], all: readonly string[], what: string): Int32Array | null {
  if (hasSameNames(names, all)) return null;
  const places = new Map(all.map((name, i) => [name, i]));
  const found = Int32Array.from(names, (name) => places.get(name) ?? -1);
  const unknown = found.indexOf(-1);
  if (unknown >= 0) {
    throw new InvalidDataError(`${what} ${JSON.stringify(names[unknown])} is none of the ${all.length}`);
  }
  if (new Set(found).size !== found.length) throw new InvalidDataError(`a ${what} occurs twice`);
  return found;
}
