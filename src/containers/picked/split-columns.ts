/** A dense matrix whose columns were copied in groups, as one matrix per group. */

import type { ReadOptions } from "../../io/sources/source.js";
import { getDecodedSize } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";
import { CopiedBytes, type RowStorage } from "./derived-array.js";
import { checkRows } from "./row-ranges.js";

/** Adjacent columns of the matrix, stored group by group. */
export interface SplitTile {
  /** In a row of the tile, the values of group g are at [`starts[g]`, `starts[g + 1]`). */
  readonly starts: Int32Array;
  /** Number of columns that each group has in the preceding tiles. */
  readonly before: Int32Array;
}

/**
 * The locations of a matrix in the storage. The matrix is stored in bands of rows, and each band in tiles of columns.
 */
export interface SplitMatrix {
  readonly storage: RowStorage;
  /** Number of rows per band; the last band may have fewer. */
  readonly bandRows: number;
  readonly tiles: readonly SplitTile[];
  /** Offsets of the tiles: tile t of band b is at `offsets[b * tiles.length + t]`. */
  readonly offsets: readonly number[];
}

/** The columns of one group of a matrix. */
export class SplitColumns extends CopiedBytes {
  readonly #split: SplitMatrix;
  readonly #group: number;

  /** @param from the matrix that was split. */
  constructor(from: StoredArray, split: SplitMatrix, group: number) {
    const width = split.tiles.reduce((sum, { starts }) => sum + starts[group + 1] - starts[group], 0);
    super(from, from.type, [from.shape?.[0] ?? 0, width]);
    this.#split = split;
    this.#group = group;
  }

  async readInto(start: number, end: number, target: Uint8Array, { signal }: ReadOptions = {}): Promise<void> {
    const [height = 0, width = 0] = this.shape;
    checkRows(start, end, height, this.path);
    signal?.throwIfAborted();
    const { storage, bandRows, tiles, offsets } = this.#split;
    const size = getDecodedSize(this.type) ?? 0;
    for (let at = start; at < end; ) {
      const band = Math.floor(at / bandRows);
      const first = band * bandRows;
      const rows = Math.min(bandRows, height - first);
      const stop = Math.min(end, first + rows);
      for (const [i, { starts, before }] of tiles.entries()) {
        const from = starts[this.#group];
        const own = starts[this.#group + 1] - from;
        if (own === 0) continue;
        const offset = offsets[band * tiles.length + i] + (rows * from + (at - first) * own) * size;
        const place = ((at - start) * width + before[this.#group]) * size;
        const bytes = (stop - at) * own * size;
        if (own === width) {
          await storage.read(offset, target.subarray(place, place + bytes));
          continue;
        }
        const block = new Uint8Array(bytes);
        await storage.read(offset, block);
        const rowBytes = own * size;
        for (let row = 0; row < stop - at; row++) {
          target.set(block.subarray(row * rowBytes, (row + 1) * rowBytes), place + row * width * size);
        }
      }
      at = stop;
    }
  }
}
