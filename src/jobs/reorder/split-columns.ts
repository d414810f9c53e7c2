/** Copies a dense matrix's columns group by group, in one pass over the matrix. */

import { getRowBytes } from "../../containers/picked/copied-array.js";
import type { SplitMatrix, SplitTile } from "../../containers/picked/split-columns.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { type GroupedColumns, splitColumns } from "../../kernels/dense/split-columns.js";
import type { EntryWords } from "../../kernels/sparse/scatter.js";
import type { GroupMap } from "../../kernels/sparse/split-lists.js";
import { type RowSpill, withWriter } from "./copy-storage.js";
import { readRowBatches } from "./row-batches.js";

/** Size of a tile in bytes. A tile covers a few whole rows, or some columns of a range of chunk rows. */
const TILE_BYTES = 2 ** 23;

/** A tile with its columns by group. */
interface Tile extends SplitTile, GroupedColumns {
  readonly cols: readonly [start: number, end: number];
}

/** @param groups the group of each column. */
export async function splitMatrix(
  from: StoredArray,
  groups: GroupMap,
  storage: RowSpill,
  options: ReadOptions,
  tileBytes = TILE_BYTES,
): Promise<SplitMatrix> {
  const [, width = 0] = from.shape ?? [];
  const rowBytes = getRowBytes(from) ?? 0;
  const [chunkRows = 1, chunkCols = width] = from.chunks ?? [];
  const chunked = Math.max(1, chunkRows);
  const isWide = chunked * rowBytes > tileBytes && chunkCols < width && from.capabilities?.blocks !== undefined;
  const bandRows = isWide ? chunked : chunked * Math.max(1, Math.floor(tileBytes / Math.max(1, rowBytes * chunked)));
  const size = width === 0 ? 0 : rowBytes / width;
  const tileCols = isWide ? chunkCols * Math.max(1, Math.floor(tileBytes / (chunked * size * chunkCols))) : width;
  const tiles = tilesOf(groups, width, Math.max(1, tileCols));
  const offsets: Promise<number>[] = [];
  const blocks = isWide
    ? tilesIn(from, { bandRows, size, tiles }, options)
    : readRowBatches(from, bandRows, rowBytes, options);
  await withWriter(storage, async (writer) => {
    for await (const { bytes } of blocks) {
      options.signal?.throwIfAborted();
      const tile = tiles[offsets.length % tiles.length];
      const stride = tile.cols[1] - tile.cols[0];
      const out = new Uint8Array(bytes.length);
      const [source, target] = [wordsIn(bytes, size), wordsIn(out, size)];
      const step = size / source.BYTES_PER_ELEMENT;
      splitColumns(source, tile, { rows: bytes.length / Math.max(1, stride * size), stride, step }, target);
      offsets.push((await writer.append([out])).offset);
    }
  });
  return { storage, bandRows, tiles, offsets: await Promise.all(offsets) };
}

/** Returns the tiles that cover `width` columns, from first to last. */
function tilesOf({ count, groups, places }: GroupMap, width: number, tileCols: number): readonly Tile[] {
  const tiles: Tile[] = [];
  const before = new Int32Array(count);
  for (let first = 0; first < width; first += tileCols) {
    const end = Math.min(width, first + tileCols);
    const starts = new Int32Array(count + 1);
    for (let col = first; col < end; col++) starts[groups[col] + 1]++;
    for (let group = 0; group < count; group++) starts[group + 1] += starts[group];
    const columns = new Int32Array(end - first);
    for (let col = first; col < end; col++) {
      const group = groups[col];
      columns[starts[group] + places[col] - before[group]] = col - first;
    }
    tiles.push({ cols: [first, end], columns, starts, before: before.slice() });
    for (let group = 0; group < count; group++) before[group] += starts[group + 1] - starts[group];
  }
  return tiles;
}

/** Yields the bytes of all tiles in row order. They are valid until the next tile is requested. */
async function* tilesIn(
  from: StoredArray,
  { bandRows, size, tiles }: { readonly bandRows: number; readonly size: number; readonly tiles: readonly Tile[] },
  options: ReadOptions,
): AsyncGenerator<{ readonly bytes: Uint8Array }> {
  const [height = 0] = from.shape ?? [];
  const widest = tiles.reduce((most, { cols: [start, end] }) => Math.max(most, end - start), 0);
  const memory = new Uint8Array(bandRows * widest * size);
  for (let row = 0; row < height; row += bandRows) {
    const end = Math.min(height, row + bandRows);
    for (const { cols } of tiles) {
      const rowBytes = (cols[1] - cols[0]) * size;
      const bytes = memory.subarray(0, (end - row) * rowBytes);
      // Values that no chunk has are zero.
      bytes.fill(0);
      await from.capabilities?.blocks?.(
        { rows: [row, end], cols },
        (block) => {
          for (let i = 0; i < block.rows; i++) {
            const source = i * block.stride * size;
            const target = (block.row - row + i) * rowBytes + (block.col - cols[0]) * size;
            bytes.set(block.bytes.subarray(source, source + block.cols * size), target);
          }
        },
        options,
      );
      yield { bytes };
    }
  }
}

/** Views values of `size` bytes as words, in the memory of `bytes`. */
function wordsIn({ buffer, byteOffset, length }: Uint8Array, size: number): EntryWords {
  if (size % 4 === 0) return new Int32Array(buffer, byteOffset, length / 4);
  if (size % 2 === 0) return new Uint16Array(buffer, byteOffset, length / 2);
  return new Uint8Array(buffer, byteOffset, length);
}
