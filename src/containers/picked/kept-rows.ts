/**
 * The chunks of consecutive rows of a stored array. Chunks that hold picked rows alone are the stored ones; rows behind
 * the last of them are encoded anew, because a stored chunk would bring rows that were not picked.
 */

import { bytesOf, product } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";
import { type ChunkPiece, gridShape, type StoredChunks } from "../tree/stored-chunks.js";
import { type EncodedRows, encodedRows, encodingOf, movedPieces } from "./encoded-rows.js";
import { type RowRuns, rowCount } from "./row-runs.js";

/** Makes the capability of the rows `runs` of an array; null where none of its chunks holds such rows alone. */
export function keptRows(
  { type, shape, capabilities }: StoredArray,
  { starts, ends }: RowRuns,
  read: StoredArray["read"],
): StoredChunks | null {
  const stored = capabilities?.storedChunks;
  const [height = 0, ...rest] = shape ?? [];
  if (stored === undefined || starts.length !== 1) return null;
  const { chunk } = stored;
  const [start, count] = [starts[0], rowCount({ ends })];
  if (start % chunk[0] !== 0) return null;
  const whole = start + count === height ? Math.ceil(count / chunk[0]) : Math.floor(count / chunk[0]);
  if (whole === 0) return null;
  const first = start / chunk[0];
  const places = product(gridShape(rest, chunk.slice(1)));
  const from = whole * chunk[0];
  const last = from < count ? encodingOf(stored, type) : [];
  if (last === null) return null;
  const rows = { start: from, end: count, rest, place: whole * places };
  return {
    ...stored,
    find: async (options) => {
      const found = await stored.find({ ...options, bands: [first, first + whole] });
      const pieces = (files: boolean, how?: ReadOptions) =>
        withLast(movedPieces(found, -first * places, files, how), from < count ? () => lastPiece(rows, how) : null);
      return { ...found, count: found.count + (from < count ? places : 0), pieces };
    },
  };

  async function lastPiece(rows: EncodedRows, options?: ReadOptions): Promise<ChunkPiece> {
    const values = await read(rows.start, rows.end, options);
    if (values.kind !== "fixed") throw new TypeError("numbers are fixed");
    return encodedRows(bytesOf(values.values), rows, chunk, last ?? []);
  }
}

async function* withLast(
  pieces: AsyncIterable<ChunkPiece>,
  last: (() => Promise<ChunkPiece>) | null,
): AsyncGenerator<ChunkPiece> {
  yield* pieces;
  if (last !== null) yield last();
}
