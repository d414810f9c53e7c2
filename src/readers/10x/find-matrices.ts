/** Where the feature-barcode matrices of a file lie: `matrix` since Cell Ranger 3, before that one group per genome. */

import type { AttributeValue, Group } from "../../containers/tree/container.js";
import { isAnnarrowError } from "../../model/errors.js";
import type { ReadOptions } from "../../sources/source.js";

/** A group that holds a matrix. */
export interface MatrixGroup {
  /** What it is called: `matrix`, or the genome. */
  readonly name: string;
  readonly group: Group;
  readonly keys: readonly string[];
}

/** More genomes than any reference has; in a file of more groups none is looked for. */
const MAX_GENOMES = 256;

/**
 * The matrices at `root`, which may be the group of one of them; none where the file is something else.
 * @param keys the names of its children.
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

/** What `matrix` holds, complete or not. */
const PARTS: ReadonlySet<string> = new Set(["barcodes", "features", "genes", "gene_names", "indptr"]);

/** Whether a group of any name is a matrix with the names of its features, one part of which may be missing. */
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

/** By the attribute `filetype` of the root. */
const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ["molecule", "a molecule_info file, which lists molecules"],
  ["feature_slice", "a feature_slice file, which holds images of counts"],
]);

/** What the file is, for a message; null where it is none of them. Before Cell Ranger 3 only the names say it. */
export function otherFileKind(root: Group, keys: readonly string[]): string | null {
  const type = single(root.attributes.get("filetype"));
  const isMolecules = keys.includes("umi") && ["barcode_idx", "barcode"].some((key) => keys.includes(key));
  return FILE_TYPES.get(isMolecules ? "molecule" : String(type)) ?? null;
}

function single(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
