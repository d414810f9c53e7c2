/** An opened companion: copies of the matrices of one file, found in one location. */

import { createNumberFileArray } from "../../containers/arrays/array-file.js";
import { createMemoryArray } from "../../containers/picked/memory-array.js";
import type { Group } from "../../containers/tree/container.js";
import type { KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import type { SparsePlan } from "../../jobs/plan/plan.js";
import { InvalidDataError, isAnnarrowError, NotFoundError, runWithLocation } from "../../model/errors.js";
import { createTextArray } from "../../readers/bpcells/stores/arrays.js";
import { openMatrix } from "../../readers/bpcells/stores/matrix.js";
import { findIdentityDifference, type SourceIdentity } from "./identity.js";
import type { GeneIndexLocation } from "./location.js";
import {
  countNumberFileBytes,
  type GeneIndexManifest,
  type GeneIndexMatrix,
  getMatrixArrayTypes,
  getMatrixFolder,
  MANIFEST,
  parseCompanionManifest,
} from "./manifest.js";

/** The result of searching one location for a companion. */
export type FoundGeneIndex =
  | { readonly name: string; readonly manifest: GeneIndexManifest; readonly source: KeyValueSource }
  /** A companion that cannot be used, with the reason. */
  | { readonly name: string; readonly problem: string };

/**
 * Looks for a companion of a file.
 * @returns null if there is no companion at this location.
 */
export async function findCompanion(
  place: GeneIndexLocation,
  identity: () => Promise<SourceIdentity | string>,
  options: ReadOptions,
): Promise<FoundGeneIndex | null> {
  const opened = await place.open(options);
  if (opened === null) return null;
  const { name, source } = opened;
  try {
    const manifest = parseCompanionManifest(new TextDecoder().decode(opened.manifest));
    const now = await identity();
    const copied = async () => (await source.stamp?.(MANIFEST, options))?.modified ?? null;
    const problem =
      typeof now === "string" ? now : await findIdentityDifference(manifest.identity, now, place.isWeb ? copied : null);
    if (problem === null) {
      // On a server, this would take one request per file.
      if (!place.isWeb) await checkFiles(source, manifest, options);
      return { name, manifest, source };
    }
    await source.close();
    return { name, problem };
  } catch (error) {
    await source.close();
    if (!isAnnarrowError(error)) throw error;
    return { name, problem: error.problem };
  }
}

/** @throws {InvalidDataError} if a file is missing, or has the wrong size. */
async function checkFiles(source: KeyValueSource, manifest: GeneIndexManifest, options: ReadOptions): Promise<void> {
  for (const matrix of manifest.matrices) {
    const folder = getMatrixFolder(manifest, matrix);
    const files = [...getMatrixArrayTypes(matrix.packed)];
    const stamps = await Promise.all(files.map(([array]) => source.stamp?.(`${folder}/${array}`, options)));
    for (const [i, [array, { bits }]] of files.entries()) {
      const expected = countNumberFileBytes(matrix.arrays.get(array) ?? 0, bits);
      const found = stamps[i]?.size;
      if (found === expected) continue;
      throw new InvalidDataError(`its file ${folder}/${array} has ${found ?? "no"} bytes of ${expected}`);
    }
  }
}

/**
 * Opens a matrix in a companion.
 * @throws {InvalidDataError} if the arrays do not fit together.
 */
export async function openCopy(
  { name, manifest, source }: Extract<FoundGeneIndex, { readonly manifest: GeneIndexManifest }>,
  matrix: GeneIndexMatrix,
  options: ReadOptions,
): Promise<SparsePlan> {
  const version = { content: "matrix", packed: true, values: matrix.packed, number: 2 } as const;
  const group = arraysOf(matrix, getMatrixFolder(manifest, matrix), source);
  const copy = await runWithLocation({ source: name }, () => openMatrix(group, version, { exact: true, options }));
  if (copy.nnz === matrix.nnz) return copy;
  throw new InvalidDataError(`it has ${copy.nnz} entries of ${matrix.nnz}`, { source: name });
}

/** Returns the arrays of a matrix. Their sizes and types are in the manifest, which saves requests. */
function arraysOf({ shape, order, packed, arrays }: GeneIndexMatrix, folder: string, source: KeyValueSource): Group {
  const types = getMatrixArrayTypes(packed);
  const uint32 = { kind: "int", bits: 32, signed: false } as const;
  return {
    ...{ kind: "group", path: folder, id: folder, attributes: new Map() },
    keys: async () => [...types.keys()],
    async open(name) {
      const path = `${folder}/${name}`;
      if (name === "storage_order") return createTextArray([order === "row" ? "row" : "col"], path);
      if (name === "shape")
        return createMemoryArray(path, uint32, [2], { kind: "fixed", values: Uint32Array.from(shape) });
      const [type, count] = [types.get(name), arrays.get(name)];
      if (type === undefined || count === undefined) throw new NotFoundError("no such array", { element: path });
      return createNumberFileArray(source, { form: "numbers", key: path, type, count });
    },
  };
}
