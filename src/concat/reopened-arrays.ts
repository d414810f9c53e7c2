/** Stored arrays of a dataset that is open only while they are read, so that a writer can keep their chunks. */

import type { StoredArray } from "../containers/tree/container.js";
import type { ChunkPiece, StoredChunks } from "../containers/tree/stored-chunks.js";
import { arraysOf, mapArrays, type RowsPlan } from "../jobs/plan/plan.js";
import type { ReadOptions } from "../sources/source.js";

/** The rows of a table whose dataset is open until they are released. */
export interface HeldRows {
  readonly rows: RowsPlan;
  release(): void;
}

export type HoldRows = () => Promise<HeldRows>;

/**
 * The rows, whose arrays open the dataset whenever they are read. It is null for rows that are neither the entries of a
 * sparse matrix nor one array: a writer keeps no chunks of other rows.
 */
export function reopenedRows(rows: RowsPlan, hold: HoldRows): RowsPlan | null {
  const isMatrix = rows.kind === "coordinate" || rows.kind === "entries";
  if (!isMatrix && (rows.kind !== "columns" || rows.columns.length !== 1)) return null;
  let count = 0;
  return mapArrays(rows, (array) => {
    const place = count++;
    return reopenedArray(array, async () => {
      const held = await hold();
      return { array: arraysOf(held.rows)[place], release: held.release };
    });
  });
}

type HoldArray = () => Promise<{ readonly array: StoredArray; release(): void }>;

/** An array with the description of `known`, which it does not hold. */
function reopenedArray(known: StoredArray, hold: HoldArray): StoredArray {
  const { kind, path, id, attributes, type, shape, chunks, capabilities } = known;
  const stored = capabilities?.storedChunks;
  return {
    ...{ kind, path, id, attributes, type, shape, chunks },
    capabilities: stored === undefined ? undefined : { storedChunks: reopenedChunks(stored, hold) },
    async read(start, end, options) {
      const { array, release } = await hold();
      try {
        return await array.read(start, end, options);
      } finally {
        release();
      }
    },
  };
}

function reopenedChunks({ container, chunk, codecs, behindValues }: StoredChunks, hold: HoldArray): StoredChunks {
  return {
    ...{ container, chunk, codecs, behindValues },
    async find(options) {
      const found = async () => {
        const { array, release } = await hold();
        try {
          const chunks = await array.capabilities?.storedChunks?.find(options);
          if (chunks === undefined) throw new TypeError(`${array.path} has no chunks any more`);
          return { chunks, release };
        } catch (error) {
          release();
          throw error;
        }
      };
      /** The chunks are looked for again, so that no list of them is held for each of many datasets. */
      async function* pieces(files: boolean, how?: ReadOptions): AsyncGenerator<ChunkPiece> {
        const { chunks, release } = await found();
        try {
          yield* chunks.pieces(files, how);
          await chunks.checkUnchanged();
        } finally {
          release();
        }
      }
      const { chunks, release } = await found();
      release();
      const { count, skipsCodecs } = chunks;
      // Whether chunks have changed is asked when the last one has been given, while the dataset is open.
      return { count, skipsCodecs, pieces, checkUnchanged: async () => undefined };
    },
  };
}
