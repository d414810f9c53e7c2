/** Names that Seurat's parts have as elements of AnnData, and places of names among others, in whichever file they lie. */

import { InvalidDataError } from "../model/errors.js";

/** The layer that is X: normalised values, else counts, else the only one. */
export function mainLayer(names: readonly string[]): string | null {
  if (names.includes("data")) return "data";
  if (names.includes("counts")) return "counts";
  return names.length === 1 ? names[0] : null;
}

/** The name that a part of a dataset has as a modality. */
export function modalityName(name: string): string {
  return name.replaceAll("/", "_");
}

/** The place of a part of a dataset: a modality, or of a dataset that is one itself, another one beside it. */
export function below(prefix: string, name: string): string {
  const own = modalityName(name);
  return prefix === "" ? `mod/${own}/` : `${prefix.slice(0, -1)}.${own}/`;
}

/** Whether a column orders variable features: those of Seurat 5, and scanpy's. */
export function isRank(column: string): boolean {
  return /^(var\.features\.rank|vf_.+_rank|highly_variable_rank)$/.test(column);
}

/** The places of the features among the variable ones, NaN for others; null where both have one order. */
export function ranksOf(variable: readonly string[], features: readonly string[]): Float64Array | null {
  const places = new Map(variable.map((name, i) => [name, i]));
  const ranks = Float64Array.from(features, (name) => places.get(name) ?? Number.NaN);
  const known = ranks.filter((rank) => !Number.isNaN(rank));
  return known.some((rank, i) => i > 0 && rank < known[i - 1]) ? ranks : null;
}

/** Whether two lists have the same names in the same order. */
export function areEqual(names: readonly string[], all: readonly string[]): boolean {
  return names.length === all.length && names.every((name, i) => name === all[i]);
}

/**
 * The places of some names among others; null where both are the same.
 * @param what a name is, for messages.
 * @throws {InvalidDataError} for unknown and repeated names.
 */
export function placesOf(names: readonly string[], all: readonly string[], what: string): Int32Array | null {
  if (areEqual(names, all)) return null;
  const places = new Map(all.map((name, i) => [name, i]));
  const found = Int32Array.from(names, (name) => places.get(name) ?? -1);
  const unknown = found.indexOf(-1);
  if (unknown >= 0) {
    throw new InvalidDataError(`${what} ${JSON.stringify(names[unknown])} is none of the ${all.length}`);
  }
  if (new Set(found).size !== found.length) throw new InvalidDataError(`a ${what} occurs twice`);
  return found;
}
