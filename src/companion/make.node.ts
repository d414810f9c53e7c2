/** Makes a companion: a folder that appears whole or not at all. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isCloudAddress } from "../cloud/objects/address.js";
import { temporarySpill } from "../external-sort/spill.node.js";
import { crc32 } from "../kernels/checksums/checksums.js";
import type { Progress } from "../model/dataset.js";
import { isAnnarrowError } from "../model/errors.js";
import { onDisk } from "../model/system-error.node.js";
import { storedColumnTable } from "../tables/given/table-forms.js";
import type { CloudOutputOptions } from "../targets/cloud-output.node.js";
import { directoryTarget } from "../targets/directory.node.js";
import type { KeyValueTarget } from "../targets/target.js";
import type { WriterOptions } from "../writers/context.js";
import type { SourceIdentity } from "./identity.js";
import { type CompanionManifest, type CompanionMatrix, MANIFEST, manifestText, type PackedType } from "./manifest.js";
import type { MatrixToCopy } from "./matrices.js";
import { guessedPacking, plainPacking } from "./value-packing.js";
import { writeCopy } from "./write-matrix.js";

export interface CompanionPlan {
  /** Path of the companion, whose folders around it are made, or its address in an object store. */
  readonly path: string;
  /** Name of the file that is copied. */
  readonly source: string;
  readonly identity: SourceIdentity;
  readonly matrices: readonly MatrixToCopy[];
  /** @throws {InvalidDataError} where the file has changed. */
  readonly checkUnchanged: () => Promise<void>;
}

export interface MakeOptions extends CloudOutputOptions, Pick<WriterOptions, "budgetBytes"> {
  readonly onProgress?: (progress: Progress) => void;
}

export interface MadeCompanion {
  /** Null where no matrix could be copied, so that nothing was written. */
  readonly manifest: CompanionManifest | null;
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Writes the companion, and replaces one that is there. */
export async function makeCompanion(plan: CompanionPlan, options: MakeOptions): Promise<MadeCompanion> {
  const { path, source, identity, matrices, checkUnchanged } = plan;
  const packings = new Map<MatrixToCopy, PackedType>();
  for (const one of matrices) packings.set(one, await guessedPacking(one.matrix, one.type, options));
  const leftOut: { readonly name: string; readonly reason: string }[] = [];
  if (!isCloudAddress(path)) await onDisk(dirname(path), () => mkdir(dirname(path), { recursive: true }));
  const { onProgress: _, ...reached } = options;
  const replacing = { ...reached, overwrite: true, beforeCommit: checkUnchanged };
  let target: KeyValueTarget = await directoryTarget(path, replacing);
  // Every version of a file, and every choice of its matrices, has its own folder of arrays.
  const version = JSON.stringify([identity, matrices.map(({ name }) => name)]);
  const folder = crc32(new TextEncoder().encode(version)).toString(16);
  try {
    while (packings.size > 0) {
      const copied = await copyAll(target, folder, packings, options);
      if (Array.isArray(copied)) {
        const manifest = { source, identity, folder, matrices: copied };
        await target.set(MANIFEST, new TextEncoder().encode(manifestText(manifest)));
        await target.commit();
        return { manifest, leftOut };
      }
      // What was written goes with the folder: another packing may hold the values.
      const { matrix, reason } = copied;
      if (packings.get(matrix) === "uint") packings.set(matrix, plainPacking(matrix.type));
      else {
        packings.delete(matrix);
        leftOut.push({ name: matrix.name, reason });
      }
      target = (await target.anew?.()) ?? target;
    }
  } catch (error) {
    await target.abort();
    throw error;
  }
  await target.abort();
  return { manifest: null, leftOut };
}

/** A matrix whose values the chosen packing does not hold. */
interface Refusal {
  readonly matrix: MatrixToCopy;
  readonly reason: string;
}

async function copyAll(
  target: KeyValueTarget,
  folder: string,
  packings: ReadonlyMap<MatrixToCopy, PackedType>,
  options: MakeOptions,
): Promise<CompanionMatrix[] | Refusal> {
  const copied: CompanionMatrix[] = [];
  for (const [one, packed] of packings) {
    const { table, matrix, type } = one;
    const spill = temporarySpill();
    const order = matrix.order === "row" ? "column" : "row";
    const how = { pointers: matrix.indptr.path, shape: matrix.shape, order, type, packed } as const;
    try {
      const place = `${folder}/${copied.length}`;
      copied.push(await writeCopy(target, place, storedColumnTable(table), { ...how, ...options, spill }));
    } catch (error) {
      if (!isAnnarrowError(error) || !("isRefused" in error)) throw error;
      return { matrix: one, reason: error.problem };
    } finally {
      await spill.remove();
    }
  }
  return copied;
}
