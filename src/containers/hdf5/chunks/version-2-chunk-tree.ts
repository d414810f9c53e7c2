/**
 * Searches for chunks in a version 2 B-tree, the index for datasets with several unlimited dimensions since HDF5 1.10.
 * Source: HDF5 File Format Specification, III.A.2, record types 10 and 11.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { createDataView, parseUnsignedAt } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { readTreeRecords } from "../file/version-2-tree.js";
import type { ChunkIndex, ChunkSelection, StoredChunk } from "./chunk-index.js";

const PLAIN_CHUNKS = 10;
const FILTERED_CHUNKS = 11;

const MASK_BYTES = 4;

/** Maximum number of cached chunks. A longer list is created again by each call. */
const CHUNKS_KEPT = 1 << 20;

export class Version2ChunkTree implements ChunkIndex {
  readonly #file: Hdf5File;
  readonly #address: number;
  readonly #chunk: readonly number[];
  readonly #chunkBytes: number;
  /** All chunks, in order; null if there are too many chunks to cache. */
  #kept: readonly StoredChunk[] | null | undefined;

  constructor(file: Hdf5File, address: number, chunk: readonly number[], chunkBytes: number) {
    this.#file = file;
    this.#address = address;
    this.#chunk = chunk;
    this.#chunkBytes = chunkBytes;
  }

  async find({ rows: [start, end], shape }: ChunkSelection, options?: ReadOptions): Promise<StoredChunk[]> {
    const first = start - (start % this.#chunk[0]);
    const wanted = ({ offset }: StoredChunk) =>
      offset[0] >= first && offset[0] < end && offset.every((at, d) => at < shape[d]);
    const kept = this.#kept;
    if (kept) return kept.slice(lowerBound(kept, first), lowerBound(kept, end)).filter(wanted);
    const found: StoredChunk[] = [];
    let all: StoredChunk[] | null = kept === null ? null : [];
    let before: StoredChunk | null = null;
    const type = await this.#type(options);
    for await (const record of readTreeRecords(this.#file, this.#address, type, options)) {
      const chunk = this.#parse(record, type === FILTERED_CHUNKS);
      // Chunks must be in ascending order, which also proves that no two of them are equal.
      if (before !== null && !isBefore(before.offset, chunk.offset)) {
        throw new InvalidDataError(`chunk index has ${chunk.offset.join()} behind ${before.offset.join()}`);
      }
      before = chunk;
      if (all !== null && all.push(chunk) > CHUNKS_KEPT) all = null;
      if (wanted(chunk)) found.push(chunk);
    }
    this.#kept = all;
    return found;
  }

  #parse(record: Uint8Array, filtered: boolean): StoredChunk {
    const { offsets } = this.#file.sizes;
    const rank = this.#chunk.length;
    const sizeBytes = record.length - offsets - MASK_BYTES - 8 * rank;
    if (filtered ? sizeBytes < 1 || sizeBytes > 8 : record.length !== offsets + 8 * rank) {
      throw new InvalidDataError(`chunk index has records of ${record.length} bytes`);
    }
    const view = createDataView(record);
    const behind = filtered ? offsets + sizeBytes : offsets;
    const first = filtered ? behind + MASK_BYTES : behind;
    return {
      address: parseUnsignedAt(view, 0, offsets),
      storedBytes: filtered ? parseUnsignedAt(view, offsets, sizeBytes) : this.#chunkBytes,
      filterMask: filtered ? parseUnsignedAt(view, behind, MASK_BYTES) : 0,
      offset: this.#chunk.map((size, d) => parseUnsignedAt(view, first + 8 * d, 8) * size),
    };
  }

  async #type(options?: ReadOptions): Promise<number> {
    const type = (await this.#file.read(this.#address, 6, options))[5];
    if (type === PLAIN_CHUNKS || type === FILTERED_CHUNKS) return type;
    throw new InvalidDataError(`version 2 B-tree of type ${type} instead of ${PLAIN_CHUNKS} or ${FILTERED_CHUNKS}`);
  }
}

/** Returns the index of the first chunk that begins at row `row` or later. */
function lowerBound(chunks: readonly StoredChunk[], row: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunks[middle].offset[0] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** True if `a` precedes `b`, comparing the first dimension first. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  for (let d = 0; d < a.length; d++) if (a[d] !== b[d]) return a[d] < b[d];
  return false;
}
