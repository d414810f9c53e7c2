/** The chunk index that is none: all chunks of a dataset of fixed shape, one behind the other. */

import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { Hdf5File } from "../file/file-bytes.js";
import type { ChunkIndex, StoredChunk } from "./chunk-index.js";
import type { LinearIndex } from "./linear-index.js";

export class ImplicitChunks implements ChunkIndex {
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

  async find(
    start: number,
    end: number,
    shape: readonly number[],
    _options?: ReadOptions,
    columns?: readonly [start: number, end: number],
  ): Promise<StoredChunk[]> {
    const runs = this.#linear.runs(start, end, shape, Number.POSITIVE_INFINITY, columns);
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
