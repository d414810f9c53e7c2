/** Writes the copy of one matrix, in the order in which its file does not store it. */

import { createArrays } from "../containers/arrays/write/container.js";
import type { BandedEntries } from "../kernels/sparse/entry-bands.js";
import { RefusedError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { collectedStream, type KeyValueTarget } from "../targets/target.js";
import { writeMatrix } from "../writers/bpcells/matrix.js";
import { type WriterOptions, writerContext } from "../writers/context.js";
import { arrayTypes, type CompanionMatrix, type CopiedType, copiedTypeText, type PackedType } from "./manifest.js";

export interface MatrixCopyOptions extends WriterOptions {
  /** The path of the matrix' pointers in its file. */
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
 * @throws {InvalidInputError} for a value whose bits the copy would lose.
 */
export async function writeCopy(
  target: KeyValueTarget,
  folder: string,
  table: ColumnTable,
  { pointers, shape, order, type, packed, ...options }: MatrixCopyOptions,
): Promise<CompanionMatrix> {
  const sizes = new Map<string, number>();
  const container = createArrays(within(target, folder, sizes));
  const watch = { sorted: true };
  const context = { container: "directory", packed: true, order, type: packed, shape } as const;
  const { entries } = await writeMatrix(
    container.root,
    { matrix: watched(table, type, packed, watch), rowNames: null, colNames: null },
    { ...writerContext(options, []), ...context },
  );
  await container.close();
  const arrays = new Map<string, number>();
  for (const [name, { bits }] of arrayTypes(packed)) arrays.set(name, ((sizes.get(name) ?? 8) - 8) / (bits / 8));
  const { sorted } = watch;
  return {
    name: table.name,
    pointers,
    shape,
    order,
    nnz: entries,
    value: copiedTypeText(type),
    packed,
    sorted,
    arrays,
  };
}

/** The table, of which all entries are looked at on their way to the transposition. */
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
          if (lost !== null) throw new RefusedError(`${lost}, whose bits the copy would lose`, { element: name });
          yield block;
        }
      },
    };
  };
  return { ...table, stored: { ...stored, lists } };
}

/** A value that would come back with other bits, though the writer takes it as equal; null where there is none. */
function lostValue({ values: [words] }: BandedEntries, type: CopiedType, packed: PackedType): string | null {
  if (type.kind !== "float") return null;
  if (packed === "uint") return hasNegativeZero(words, type.bits) ? "-0.0" : null;
  // Halves are copied as floats, which have one NaN.
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

/** A folder of a target. @param sizes gets the bytes of each file. */
function within(target: KeyValueTarget, folder: string, sizes: Map<string, number>): KeyValueTarget {
  const keyOf = (key: string) => `${folder}/${key}`;
  const set = async (key: string, bytes: Uint8Array) => {
    sizes.set(key, bytes.length);
    await target.set(keyOf(key), bytes);
  };
  return {
    ...{ kind: "keys", name: target.name, caseSensitive: target.caseSensitive, set },
    async stream(key) {
      if (target.stream === undefined) return collectedStream((bytes) => set(key, bytes));
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
