/** A matrix in chunks that arrives by columns: one block of all rows after the other. */

import { isZero } from "../../../../kernels/values/number-bits.js";
import { product } from "../../../../model/stored.js";
import type { ChunkEncoding } from "../../../tree/container-writer.js";
import type { WrittenLayout } from "../messages/dataset-messages.js";
import type { ChunkQueue } from "../space/chunk-queue.js";
import type { FileSpace } from "../space/file-space.js";
import { ChunkList, writeChunkTree } from "./chunk-tree.js";
import type { RowData } from "./row-data.js";

export interface ColumnOptions {
  /** The shape. The last dimension counts columns; all others make up the rows. */
  readonly shape: readonly number[];
  /** The chunk's shape, which equals the shape in all dimensions but the first and the last. */
  readonly chunk: readonly number[];
  readonly elementBytes: number;
  readonly encoding: ChunkEncoding;
  /** Half the number of children of the index's nodes. */
  readonly chunkK: number;
  /** Whether chunks of zeros are left out. */
  readonly sparse: boolean;
}

export class ColumnData implements RowData {
  readonly #space: FileSpace;
  readonly #queue: ChunkQueue;
  readonly #options: ColumnOptions;
  readonly #chunks = new ChunkList();
  readonly #rows: number;
  readonly #height: number;
  readonly #width: number;
  /** The number of chunks side by side. */
  readonly #across: number;
  #columns = 0;

  constructor(space: FileSpace, queue: ChunkQueue, options: ColumnOptions) {
    this.#space = space;
    this.#queue = queue;
    this.#options = options;
    const { shape, chunk } = options;
    this.#rows = product(shape.slice(0, -1));
    this.#height = product(chunk.slice(0, -1));
    this.#width = chunk[chunk.length - 1];
    this.#across = Math.ceil(shape[shape.length - 1] / this.#width);
  }

  /** Takes a block [rows, n] in C order, which must begin where a chunk does. */
  async put(bytes: Uint8Array): Promise<void> {
    const { elementBytes } = this.#options;
    const rows = this.#rows;
    const columns = rows === 0 ? 0 : bytes.length / (rows * elementBytes);
    if (columns === 0) return;
    if (this.#columns % this.#width !== 0) {
      throw new TypeError(`columns after the first ${this.#columns}, which end within chunks of ${this.#width}`);
    }
    for (let column = 0; column < columns; column += this.#width) {
      const width = Math.min(this.#width, columns - column);
      const across = (this.#columns + column) / this.#width;
      for (let row = 0, down = 0; row < rows; row += this.#height, down++) {
        const height = Math.min(this.#height, rows - row);
        const from = (row * columns + column) * elementBytes;
        const lines: Lines = { from, height, step: columns * elementBytes, bytes: width * elementBytes };
        await this.#putChunk(down * this.#across + across, bytes, lines);
      }
    }
    this.#columns += columns;
  }

  async end(then: (layout: WrittenLayout) => void): Promise<void> {
    const { chunk, elementBytes, chunkK } = this.#options;
    await this.#queue.addEnd(async () => {
      this.#chunks.sort();
      const columns = [...chunk.slice(1, -1).map(() => 1), this.#across];
      const grid = { chunk, columns, elementBytes };
      const tree = await writeChunkTree(this.#space, chunkK, this.#chunks, grid);
      then({ kind: "chunked", chunk, elementBytes, tree });
    });
  }

  async #putChunk(place: number, block: Uint8Array, lines: Lines): Promise<void> {
    const { encoding, sparse, elementBytes } = this.#options;
    if (sparse && isZeroBlock(block, lines)) return;
    const bytes = this.#height * this.#width * elementBytes;
    const chunk = encoding.length === 0 ? new Uint8Array(bytes) : this.#queue.memory(bytes);
    copyLines(block, lines, chunk, this.#width * elementBytes);
    if (encoding.length > 0) {
      await this.#queue.addChunk(chunk, encoding, (address, size) => this.#chunks.add(place, address, size));
      return;
    }
    const address = this.#space.allocate(bytes, 1);
    this.#chunks.add(place, address, bytes);
    await this.#space.store(address, chunk);
  }
}

/** A part of a block: `height` lines of `bytes` bytes, whose starts are `step` bytes apart. */
interface Lines {
  readonly from: number;
  readonly height: number;
  readonly step: number;
  readonly bytes: number;
}

function isZeroBlock(block: Uint8Array, { from, height, step, bytes }: Lines): boolean {
  if (step === bytes) return isZero(block.subarray(from, from + height * step));
  for (let line = 0; line < height; line++) {
    if (!isZero(block.subarray(from + line * step, from + line * step + bytes))) return false;
  }
  return true;
}

/** Copies the lines to the lines of a chunk, and fills the rest of the chunk with zeros. */
function copyLines(block: Uint8Array, { from, height, step, bytes }: Lines, chunk: Uint8Array, width: number): void {
  if (step === bytes && bytes === width) {
    chunk.set(block.subarray(from, from + height * step));
    chunk.fill(0, height * step);
    return;
  }
  chunk.fill(0);
  for (let line = 0; line < height; line++) {
    chunk.set(block.subarray(from + line * step, from + line * step + bytes), line * width);
  }
}
