/**
 * Opens the chunk index that a dataset's layout specifies. The two kinds of index that have no structure in the file
 * are implemented here.
 */

import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { ChunkedLayout } from "../objects/layout.js";
import { ChunkArray } from "./chunk-array.js";
import { type ChunkIndex, type ChunkSelection, LinearIndex, type StoredChunk } from "./chunk-index.js";
import { ExtensibleArray } from "./extensible-array.js";
import { FixedArray } from "./fixed-array.js";
import { ChunkTree } from "./version-1-chunk-tree.js";
import { Version2ChunkTree } from "./version-2-chunk-tree.js";

/**
 * Opens the index of a dataset's chunks without reading anything. Returns null if no chunk was ever written.
 * @param maximum the maximum shape of the dataset; null for an unlimited dimension.
 * @throws {InvalidDataError} if a dataset of this shape cannot have this kind of index.
 */
export function openChunkIndex(
  file: Hdf5File,
  layout: ChunkedLayout,
  maximum: readonly (number | null)[],
): ChunkIndex | null {
  const { index, chunk } = layout;
  const chunkBytes = countElements(chunk) * layout.elementSize;
  switch (index.kind) {
    case "none":
      return null;
    case "tree":
      return new ChunkTree(file, index.address, chunk);
    case "version-2-tree":
      return new Version2ChunkTree(file, index.address, chunk, chunkBytes);
    case "single": {
      const { total } = new LinearIndex(chunk, maximum, 0);
      if (total !== 1) throw new InvalidDataError(`index of a single chunk, but the dataset has ${total}`);
      const { address, filterMask } = index;
      const offset = chunk.map(() => 0);
      const only = { offset, address, storedBytes: index.storedBytes ?? chunkBytes, filterMask };
      return { find: async ({ rows: [start, end] }) => (end > start ? [only] : []) };
    }
    case "implicit":
      return new ImplicitChunks(file, index.address, new LinearIndex(chunk, maximum, 0), chunkBytes);
    case "fixed-array": {
      const linear = new LinearIndex(chunk, maximum, 0);
      const array = new FixedArray(file, index.address, linear.total ?? 0, chunkBytes);
      return new ChunkArray(file, linear, array);
    }
    case "extensible-array": {
      const linear = new LinearIndex(chunk, maximum, 1);
      return new ChunkArray(file, linear, new ExtensibleArray(file, index.address, chunkBytes));
    }
    default:
      return index satisfies never;
  }
}

class ImplicitChunks implements ChunkIndex {
  readonly #file: Hdf5File;
  readonly #address: number;
  readonly #linear: LinearIndex;
  readonly #chunkBytes: number;

  constructor(file: Hdf5File, address: number, linear: LinearIndex, chunkBytes: number) {
    this.#file = file;
    this.#address = address;
    this.#linear = linear;
    this.#chunkBytes = chunkBytes;
  }

  async find(selection: ChunkSelection): Promise<StoredChunk[]> {
    const runs = this.#linear.runs(selection);
    const chunks = runs.at(-1)?.end ?? 0;
    if (this.#address + chunks * this.#chunkBytes > this.#file.size) {
      throw new InvalidDataError(
        `${chunks} chunks of ${this.#chunkBytes} bytes at address ${this.#address} lie beyond the end of the file, which has ${this.#file.size} bytes`,
      );
    }
    const found: StoredChunk[] = [];
    for (const run of runs) {
      for (let index = run.start; index < run.end; index++) {
        const address = this.#address + index * this.#chunkBytes;
        found.push({ offset: this.#linear.offset(index), address, storedBytes: this.#chunkBytes, filterMask: 0 });
      }
    }
    return found;
  }
}
