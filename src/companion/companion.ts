/** An opened companion: the copies of the matrices of one file, found in one location. */

import { openedNumberFile } from "../containers/arrays/array-file.js";
import { memoryArray } from "../containers/picked/memory-array.js";
import type { Group } from "../containers/tree/container.js";
import type { SparsePlan } from "../jobs/plan/plan.js";
import { InvalidDataError, isAnnarrowError, located, NotFoundError } from "../model/errors.js";
import { textArray } from "../readers/bpcells/stores/arrays.js";
import { openMatrix } from "../readers/bpcells/stores/matrix.js";
import type { KeyValueSource, ReadOptions } from "../sources/source.js";
import { difference, type SourceIdentity } from "./identity.js";
import {
  arrayTypes,
  type CompanionManifest,
  type CompanionMatrix,
  fileBytes,
  MANIFEST,
  matrixFolder,
  parsedManifest,
} from "./manifest.js";
import type { CompanionPlace } from "./place.js";

/** The result of looking for a companion in one location. */
export type FoundCompanion =
  | { readonly name: string; readonly manifest: CompanionManifest; readonly source: KeyValueSource }
  /** A companion that cannot be used, and the reason. */
  | { readonly name: string; readonly problem: string };

/**
 * Looks for a companion of a file.
 * @returns null if there is no companion at this location.
 */
export async function companionAt(
  place: CompanionPlace,
  identity: () => Promise<SourceIdentity | string>,
  options: ReadOptions,
): Promise<FoundCompanion | null> {
  const opened = await place.open(options);
  if (opened === null) return null;
  const { name, source } = opened;
  try {
    const manifest = parsedManifest(new TextDecoder().decode(opened.manifest));
    const now = await identity();
    const copied = async () => (await source.stamp?.(MANIFEST, options))?.modified ?? null;
    const problem =
      typeof now === "string" ? now : await difference(manifest.identity, now, place.isWeb ? copied : null);
    if (problem === null) {
      // On a server, this would take a request for each file.
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

/** @throws {InvalidDataError} if a file is missing, or has another size. */
async function checkFiles(source: KeyValueSource, manifest: CompanionManifest, options: ReadOptions): Promise<void> {
  for (const matrix of manifest.matrices) {
    const folder = matrixFolder(manifest, matrix);
    const files = [...arrayTypes(matrix.packed)];
    const stamps = await Promise.all(files.map(([array]) => source.stamp?.(`${folder}/${array}`, options)));
    for (const [i, [array, { bits }]] of files.entries()) {
      const expected = fileBytes(matrix.arrays.get(array) ?? 0, bits);
      const found = stamps[i]?.size;
      if (found === expected) continue;
      throw new InvalidDataError(`its file ${folder}/${array} has ${found ?? "no"} bytes of ${expected}`);
    }
  }
}

/**
 * Opens a matrix of a companion.
 * @throws {InvalidDataError} for arrays that do not fit together.
 */
export async function openCopy(
  { name, manifest, source }: Extract<FoundCompanion, { readonly manifest: CompanionManifest }>,
  matrix: CompanionMatrix,
  options: ReadOptions,
): Promise<SparsePlan> {
  const version = { content: "matrix", packed: true, values: matrix.packed, number: 2 } as const;
  const group = arraysOf(matrix, matrixFolder(manifest, matrix), source);
  const copy = await located({ source: name }, () => openMatrix(group, version, { exact: true, options }));
  if (copy.nnz === matrix.nnz) return copy;
  throw new InvalidDataError(`it has ${copy.nnz} entries of ${matrix.nnz}`, { source: name });
}

/** Returns the arrays of a matrix. Their sizes and types are in the manifest, which saves requests. */
function arraysOf({ shape, order, packed, arrays }: CompanionMatrix, folder: string, source: KeyValueSource): Group {
  const types = arrayTypes(packed);
  const uint32 = { kind: "int", bits: 32, signed: false } as const;
  return {
    ...{ kind: "group", path: folder, id: folder, attributes: new Map() },
    keys: async () => [...types.keys()],
    async open(name) {
      const path = `${folder}/${name}`;
      if (name === "storage_order") return textArray([order === "row" ? "row" : "col"], path);
      if (name === "shape") return memoryArray(path, uint32, [2], { kind: "fixed", values: Uint32Array.from(shape) });
      const [type, count] = [types.get(name), arrays.get(name)];
      if (type === undefined || count === undefined) throw new NotFoundError("no such array", { element: path });
      return openedNumberFile(source, { form: "numbers", key: path, type, count });
    },
  };
}
