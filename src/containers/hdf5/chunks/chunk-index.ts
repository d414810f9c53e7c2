/** What finds the stored chunks of a dataset. One file per kind of index implements it. */

import type { ReadOptions } from "../../../sources/source.js";

export interface StoredChunk {
  /** Of its first element, in elements. */
  readonly offset: readonly number[];
  readonly address: number;
  readonly storedBytes: number;
  /** Bit k: filter k was skipped. */
  readonly filterMask: number;
}

export interface ChunkIndex {
  /**
   * The stored chunks that hold a part of rows [start, end), each once, in the index's own order. Their addresses and
   * sizes are as stored: who reads them checks them against the file.
   * @param shape of the dataset; chunks wholly outside of it (left by a shrunk dataset) are passed over.
   * @param columns limits the second dimension to [start, end), as far as that is cheap: others may be among them.
   * @throws {InvalidDataError} where the index is damaged.
   */
  find(
    start: number,
    end: number,
    shape: readonly number[],
    options?: ReadOptions,
    columns?: readonly [start: number, end: number],
  ): Promise<StoredChunk[]>;
}
