/** Creates a companion. Its folder appears only when it is complete. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createArrays } from "../../containers/arrays/write/container.js";
import { findFileScheme } from "../../io/schemes/registry.js";
import type { RemoteOutputOptions } from "../../io/schemes/scheme.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { createDirectoryTarget } from "../../io/targets/directory.node.js";
import { createCollectingStream, type KeyValueTarget } from "../../io/targets/target.js";
import { createTemporarySpill } from "../../jobs/external-sort/spill.node.js";
import type { SparsePlan } from "../../jobs/plan/plan.js";
import { computeCrc32 } from "../../kernels/checksums/checksums.js";
import type { EntriesByRange } from "../../kernels/sparse/entry-ranges.js";
import { toUint32 } from "../../kernels/sparse/whole-numbers.js";
import { decodeFloat16 } from "../../kernels/values/number-bits.js";
import type { Progress } from "../../model/dataset.js";
import { isAnnarrowError, UnsupportedElementError } from "../../model/errors.js";
import { runFileOperation } from "../../model/system-error.node.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { toStoredColumnTable } from "../../tables/given/table-forms.js";
import { createPathGroups } from "../../writers/bpcells/context.js";
import { writeMatrix } from "../../writers/bpcells/matrix.js";
import { createWriterContext, type WriterOptions } from "../../writers/context.js";
import type { SourceIdentity } from "./identity.js";
import {
  type CopiedType,
  encodeCompanionManifest,
  formatCopiedType,
  type GeneIndexManifest,
  type GeneIndexMatrix,
  getMatrixArrayTypes,
  MANIFEST,
  type PackedType,
} from "./manifest.js";
import type { MatrixToCopy } from "./matrices.js";

export interface GeneIndexPlan {
  /** Path of the companion, whose parent folders are created if necessary, or its address in an object store. */
  readonly path: string;
  /** Name of the copied file. */
  readonly source: string;
  readonly identity: SourceIdentity;
  readonly matrices: readonly MatrixToCopy[];
  /** @throws {InvalidDataError} if the file has changed. */
  readonly checkUnchanged: () => Promise<void>;
}

export interface MakeOptions extends RemoteOutputOptions, Pick<WriterOptions, "budgetBytes"> {
  readonly onProgress?: (progress: Progress) => void;
}

export interface CreatedGeneIndex {
  /** Null if no matrix could be copied, in which case nothing was written. */
  readonly manifest: GeneIndexManifest | null;
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Writes the companion. An existing companion is replaced. */
export async function makeCompanion(plan: GeneIndexPlan, options: MakeOptions): Promise<CreatedGeneIndex> {
  const { path, source, identity, matrices, checkUnchanged } = plan;
  const packings = new Map<MatrixToCopy, PackedType>();
  for (const one of matrices) packings.set(one, await detectPacking(one.matrix, one.type, options));
  const leftOut: { readonly name: string; readonly reason: string }[] = [];
  if (findFileScheme(path) === null)
    await runFileOperation(dirname(path), () => mkdir(dirname(path), { recursive: true }));
  const { onProgress: _, ...reached } = options;
  const replacing = { ...reached, overwrite: true, beforeCommit: checkUnchanged };
  let target: KeyValueTarget = await createDirectoryTarget(path, replacing);
  // Each version of a file, and each choice of its matrices, gets its own folder of arrays.
  const version = JSON.stringify([identity, matrices.map(({ name }) => name)]);
  const folder = computeCrc32(new TextEncoder().encode(version)).toString(16);
  try {
    while (packings.size > 0) {
      const copied = await copyAll(target, folder, packings, options);
      if (Array.isArray(copied)) {
        const manifest = { source, identity, folder, matrices: copied };
        await target.set(MANIFEST, new TextEncoder().encode(encodeCompanionManifest(manifest)));
        await target.commit();
        return { manifest, leftOut };
      }
      // The written files are removed with the folder. Another packing may be able to represent the values.
      const { matrix, reason } = copied;
      if (packings.get(matrix) === "uint") packings.set(matrix, getFloatPacking(matrix.type));
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

/** A matrix with values that the chosen packing cannot represent. */
interface Refusal {
  readonly matrix: MatrixToCopy;
  readonly reason: string;
}

async function copyAll(
  target: KeyValueTarget,
  folder: string,
  packings: ReadonlyMap<MatrixToCopy, PackedType>,
  options: MakeOptions,
): Promise<GeneIndexMatrix[] | Refusal> {
  const copied: GeneIndexMatrix[] = [];
  for (const [one, packed] of packings) {
    const { table, matrix, type } = one;
    const spill = createTemporarySpill();
    const order = matrix.order === "row" ? "column" : "row";
    const how = { pointers: matrix.indptr.path, shape: matrix.shape, order, type, packed } as const;
    try {
      const place = `${folder}/${copied.length}`;
      copied.push(await writeCopy(target, place, toStoredColumnTable(table), { ...how, ...options, spill }));
    } catch (error) {
      if (!isAnnarrowError(error) || !("isRefused" in error)) throw error;
      return { matrix: one, reason: error.problem };
    } finally {
      await spill.remove();
    }
  }
  return copied;
}

// Examines a few values to guess how a matrix can be packed, because a wrong guess costs a pass over the matrix.

/** Number of values that are examined at the beginning and in the middle of the matrix. */
const SAMPLE = 2 ** 12;

/** Returns the guessed type that represents all values exactly. Whole numbers with few bits are packed. */
async function detectPacking({ data, nnz }: SparsePlan, type: CopiedType, options: ReadOptions): Promise<PackedType> {
  const middle = Math.floor(nnz / 2);
  for (const start of middle > SAMPLE ? [0, middle] : [0]) {
    const end = Math.min(nnz, start + SAMPLE);
    const read = await data.read(start, end, options);
    if (read.kind !== "fixed") return getFloatPacking(type);
    const isHalf = type.kind === "float" && type.bits === 16;
    const values = isHalf ? Float32Array.from(read.values, half) : read.values;
    if (toUint32(values, new Uint32Array(values.length)) >= 0) return getFloatPacking(type);
  }
  return "uint";
}

function half(bits: number | bigint): number {
  return decodeFloat16(Number(bits));
}

/** Returns the float type that represents all, or at least most, of the unpacked values exactly. */
function getFloatPacking(type: CopiedType): PackedType {
  return type.kind === "float" && type.bits < 64 ? "float" : "double";
}

// Writes a copy of one matrix, in the order in which the matrix is not stored in its file.

interface MatrixCopyOptions extends WriterOptions {
  /** The path of the matrix's pointers in its file. */
  readonly pointers: string;
  readonly shape: readonly [rows: number, columns: number];
  /** The order of the copy. */
  readonly order: "row" | "column";
  readonly type: CopiedType;
  readonly packed: PackedType;
}

/**
 * Writes the entries of a sparse matrix into a folder of `target`.
 * @param table the coordinates of the matrix, as they are stored.
 * @throws {InvalidInputError} for a value whose bits would be lost in the copy.
 */
async function writeCopy(
  target: KeyValueTarget,
  folder: string,
  table: ColumnTable,
  { pointers, shape, order, type, packed, ...options }: MatrixCopyOptions,
): Promise<GeneIndexMatrix> {
  const sizes = new Map<string, number>();
  const container = createArrays(within(target, folder, sizes));
  const watch = { sorted: true };
  const groups = createPathGroups(container.root);
  const context = { groups, packed: true, order, type: packed, shape } as const;
  const { entries } = await writeMatrix(
    container.root,
    { matrix: watched(table, type, packed, watch), rowNames: null, colNames: null },
    { ...createWriterContext(options, []), ...context },
  );
  await container.close();
  const arrays = new Map<string, number>();
  for (const [name, { bits }] of getMatrixArrayTypes(packed))
    arrays.set(name, ((sizes.get(name) ?? 8) - 8) / (bits / 8));
  const { sorted } = watch;
  return {
    name: table.name,
    pointers,
    shape,
    order,
    nnz: entries,
    value: formatCopiedType(type),
    packed,
    sorted,
    arrays,
  };
}

/** Returns the table, but checks all entries before they are transposed. */
function watched(table: ColumnTable, type: CopiedType, packed: PackedType, watch: { sorted: boolean }): ColumnTable {
  const { stored, name } = table;
  if (stored === undefined) throw new TypeError("the matrix of a file expected");
  const lists = async () => {
    const own = await stored.lists();
    if (own === null) throw new TypeError("lists of entries expected");
    return {
      ...own,
      async *blocks(...given: Parameters<typeof own.blocks>) {
        for await (const block of own.blocks(...given)) {
          watch.sorted &&= block.rises;
          const lost = lostValue(block, type, packed);
          if (lost !== null)
            throw new UnsupportedElementError(`${lost}, whose bits the copy would lose`, { element: name });
          yield block;
        }
      },
    };
  };
  return { ...table, stored: { ...stored, lists } };
}

/** Returns a value whose bits would change although the writer considers the result equal; null if there is none. */
function lostValue({ values: [words] }: EntriesByRange, type: CopiedType, packed: PackedType): string | null {
  if (type.kind !== "float") return null;
  if (packed === "uint") return hasNegativeZero(words, type.bits) ? "-0.0" : null;
  // Half floats are copied as floats, which have only one NaN.
  return type.bits === 16 && words.some((bits) => (bits & 0x7fff) > 0x7c00 && bits !== 0x7e00)
    ? "a NaN with a payload"
    : null;
}

function hasNegativeZero(words: ArrayLike<number>, bits: 16 | 32 | 64): boolean {
  const [sign, step] = [bits === 16 ? 0x8000 : -(2 ** 31), bits === 64 ? 2 : 1];
  for (let i = step - 1; i < words.length; i += step) {
    if (words[i] === sign && (step === 1 || words[i - 1] === 0)) return true;
  }
  return false;
}

/** Returns a folder within a target. @param sizes receives the size in bytes of each file. */
function within(target: KeyValueTarget, folder: string, sizes: Map<string, number>): KeyValueTarget {
  const keyOf = (key: string) => `${folder}/${key}`;
  const set = async (key: string, bytes: Uint8Array) => {
    sizes.set(key, bytes.length);
    await target.set(keyOf(key), bytes);
  };
  return {
    ...{ kind: "keys", name: target.name, caseSensitive: target.caseSensitive, set },
    async stream(key) {
      if (target.stream === undefined) return createCollectingStream((bytes) => set(key, bytes));
      const stream = await target.stream(keyOf(key));
      sizes.set(key, 0);
      return {
        async write(bytes) {
          sizes.set(key, (sizes.get(key) ?? 0) + bytes.length);
          await stream.write(bytes);
        },
        close: () => stream.close(),
      };
    },
    commit: () => target.commit(),
    abort: () => target.abort(),
  };
}
