/**
 * Finds the feature-barcode matrices in a file: the group `matrix` since Cell Ranger 3, one group per genome before
 * that.
 */

import type { AttributeValue, Group } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { isAnnarrowError } from "../../model/errors.js";

export interface MatrixGroup {
  /** `matrix`, or the genome. */
  readonly name: string;
  readonly group: Group;
  readonly keys: readonly string[];
}

/** Maximum number of groups, one per genome, that are searched for matrices. References contain fewer genomes. */
const MAX_GENOMES = 256;

/**
 * Finds the matrices at `root`, which may itself be a matrix group. Returns none for files of other kinds.
 * @param keys the names of the root's children.
 */
export async function findMatrices(
  root: Group,
  keys: readonly string[],
  options: ReadOptions,
): Promise<readonly MatrixGroup[]> {
  if (isMatrix(keys)) return [{ name: root.path.slice(root.path.lastIndexOf("/") + 1) || "matrix", group: root, keys }];
  if (keys.includes("matrix")) {
    const matrix = await matrixGroup(root, "matrix", (below) => below.some((key) => PARTS.has(key)), options);
    return matrix === null ? [] : [matrix];
  }
  if (keys.length > MAX_GENOMES) return [];
  const found: MatrixGroup[] = [];
  for (const name of keys) {
    const genome = await orNull(matrixGroup(root, name, isMatrix, options));
    if (genome !== null) found.push(genome);
  }
  return found;
}

/** Possible children of the group `matrix`. It contains at least one of them. */
const PARTS: ReadonlySet<string> = new Set(["barcodes", "features", "genes", "gene_names", "indptr"]);

/** Whether a group, regardless of its name, is a matrix with feature names. One of its arrays may be missing. */
function isMatrix(keys: readonly string[]): boolean {
  const has = (...names: string[]) => names.some((name) => keys.includes(name));
  return has("barcodes", "indptr") && has("features", "genes", "gene_names") && has("data", "indices", "indptr");
}

async function matrixGroup(
  root: Group,
  name: string,
  isOne: (keys: readonly string[]) => boolean,
  options: ReadOptions,
): Promise<MatrixGroup | null> {
  const group = await root.open(name, options);
  if (group.kind !== "group") return null;
  const keys = await group.keys(options);
  return isOne(keys) ? { name, group, keys } : null;
}

async function orNull<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/** Files from 10x Genomics that contain no matrix, keyed by the root attribute `filetype`. */
const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ["molecule", "a molecule_info file, which lists molecules"],
  ["feature_slice", "a feature_slice file, which holds images of counts"],
]);

/**
 * Describes a 10x Genomics file that contains no matrix; null for other files. Before Cell Ranger 3, such files can
 * only be identified by the names of the root's children.
 */
export function detectOtherFileKind(root: Group, keys: readonly string[]): string | null {
  const type = single(root.attributes.get("filetype"));
  const isMolecules = keys.includes("umi") && ["barcode_idx", "barcode"].some((key) => keys.includes(key));
  return FILE_TYPES.get(isMolecules ? "molecule" : String(type)) ?? null;
}

function single(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
