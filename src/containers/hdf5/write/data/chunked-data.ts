/** Writes chunked data. One band of chunks at a time is filled with rows, encoded and stored. */

import { isZero } from "../../../../kernels/values/number-bits.js";
import type { ChunkEncoding } from "../../../tree/container-writer.js";
import type { WrittenLayout } from "../messages/dataset-messages.js";
import type { ChunkQueue } from "../space/chunk-queue.js";
import type { FileSpace } from "../space/file-space.js";
import { ChunkList, writeChunkTree } from "./chunk-tree.js";
import type { RowData } from "./row-data.js";

export interface ChunkedOptions {
  readonly chunk: readonly number[];
  /** The shape without the first dimension. */
  readonly rowShape: readonly number[];
  readonly elementBytes: number;
  readonly encoding: ChunkEncoding;
  /** Half the maximum number of children per index node. */
  readonly chunkK: number;
  /** Allows smaller chunks if the array turns out to be shorter. */
  readonly shrink: boolean;
  /** Omits chunks of zeros. */
  readonly sparse: boolean;
  /** Adds a leading dimension of 1 to the array. */
  readonly leadingOne: boolean;
}

/** Minimum size of a shrunk chunk in bytes, which leaves room for rows that are appended later. */
const LEAST_SHRUNK_BYTES = 4096;

export class ChunkedDataWriter implements RowData {
  readonly #space: FileSpace;
  readonly #queue: ChunkQueue;
  readonly #options: ChunkedOptions;
  readonly #chunks = new ChunkList();
  readonly #rowBytes: number;
  /** The size in bytes of one row within one chunk. */
  readonly #chunkRowBytes: number;
  /** How a row is divided among adjacent chunks; null if each chunk contains whole rows. */
  readonly #parts: RowParts | null;
  #chunkRows: number;
  /** The adjacent chunks that are being filled. All contain the same number of rows. */
  #band: Uint8Array<ArrayBuffer>[] = [];
  /** Memory from omitted chunks, for reuse. */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #rows = 0;
  #bands = 0;

  constructor(space: FileSpace, queue: ChunkQueue, options: ChunkedOptions) {
    this.#space = space;
    this.#queue = queue;
    this.#options = options;
    const { chunk, rowShape, elementBytes } = options;
    const bytes = (shape: readonly number[]) => shape.reduce((a, b) => a * b, elementBytes);
    this.#rowBytes = bytes(rowShape);
    this.#chunkRowBytes = bytes(chunk.slice(1));
    this.#chunkRows = chunk[0];
    const whole = rowShape.every((size, d) => chunk[d + 1] === size);
    this.#parts = whole ? null : rowParts(rowShape, chunk.slice(1), elementBytes);
  }

  async put(bytes: Uint8Array): Promise<void> {
    // Rows without elements do not have chunks either.
    if (this.#rowBytes === 0) return;
    for (let at = 0; at < bytes.length; ) {
      if (this.#band.length === 0) this.#beginBand();
      const rows = Math.min((bytes.length - at) / this.#rowBytes, this.#chunkRows - this.#rows);
      const part = bytes.subarray(at, at + rows * this.#rowBytes);
      const out = this.#rows * this.#chunkRowBytes;
      if (this.#parts === null) this.#band[0].set(part, out);
      else this.#parts.scatter(part, rows, this.#band, out);
      this.#rows += rows;
      at += part.length;
      if (this.#rows === this.#chunkRows) await this.#endBand();
    }
  }

  async end(then: (layout: WrittenLayout) => void): Promise<void> {
    if (this.#rows > 0) {
      if (this.#bands === 0 && this.#options.shrink) this.#shrink();
      for (const chunk of this.#band) chunk.fill(0, this.#rows * this.#chunkRowBytes);
      await this.#endBand();
    }
    const { chunk: wanted, elementBytes, rowShape, chunkK, leadingOne } = this.#options;
    const rowChunk = wanted.slice(1);
    const across = rowShape.map((size, d) => Math.ceil(size / rowChunk[d]));
    const chunk = leadingOne ? [1, this.#chunkRows, ...rowChunk] : [this.#chunkRows, ...rowChunk];
    const columns = leadingOne ? [Math.max(1, this.#bands), ...across] : across;
    await this.#queue.addEnd(async () => {
      const tree = await writeChunkTree(this.#space, chunkK, this.#chunks, { chunk, columns, elementBytes });
      then({ kind: "chunked", chunk, elementBytes, tree });
    });
  }

  #beginBand(): void {
    const columns = this.#parts?.columns ?? 1;
    for (let c = 0; c < columns; c++) {
      const memory = this.#memory();
      // The part past the array's edge is never written, so it must be cleared here.
      if (this.#parts?.isEdge(c)) memory.fill(0);
      this.#band.push(memory);
    }
  }

  #memory(): Uint8Array<ArrayBuffer> {
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    const bytes = this.#chunkRows * this.#chunkRowBytes;
    return this.#options.encoding.length === 0 ? new Uint8Array(bytes) : this.#queue.memory(bytes);
  }

  async #endBand(): Promise<void> {
    const band = this.#band;
    const { encoding, sparse } = this.#options;
    const first = this.#bands * band.length;
    this.#band = [];
    this.#rows = 0;
    this.#bands++;
    for (const [c, chunk] of band.entries()) {
      const place = first + c;
      if (sparse && isZero(chunk)) {
        this.#spare.push(chunk);
        continue;
      }
      if (encoding.length > 0) {
        await this.#queue.addChunk(chunk, encoding, (address, bytes) => this.#chunks.add(place, address, bytes));
        continue;
      }
      const address = this.#space.allocate(chunk.length, 1);
      this.#chunks.add(place, address, chunk.length);
      await this.#space.store(address, chunk);
      this.#spare.push(chunk);
    }
  }

  /** If there is only one band and it is not full, shrinks its chunks to the rows that they contain. */
  #shrink(): void {
    const least = Math.ceil(LEAST_SHRUNK_BYTES / this.#chunkRowBytes);
    const rows = Math.max(this.#rows, least);
    if (rows >= this.#chunkRows) return;
    this.#chunkRows = rows;
    this.#band = this.#band.map((chunk) => {
      const memory = this.#memory();
      memory.set(chunk.subarray(0, this.#rows * this.#chunkRowBytes));
      return memory;
    });
  }
}

/** How rows are divided among several adjacent chunks. */
interface RowParts {
  /** Number of chunks. */
  readonly columns: number;
  /** True if a part of chunk `column` lies past the end of the row. */
  isEdge(column: number): boolean;
  /** Copies `rows` rows to their positions in the chunks, starting at byte `out` of each chunk. */
  scatter(bytes: Uint8Array, rows: number, chunks: readonly Uint8Array[], out: number): void;
}

/** A range of bytes that is contiguous in both the row and the chunk. */
interface Run {
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/**
 * @param rowShape the shape of a row; `chunk` is the shape of the part of the row in one chunk. Neither may contain a
 * 0.
 */
function rowParts(rowShape: readonly number[], chunk: readonly number[], elementBytes: number): RowParts {
  const counts = rowShape.map((size, d) => Math.ceil(size / chunk[d]));
  const columns = counts.reduce((a, b) => a * b, 1);
  const bytes = (shape: readonly number[]) => shape.reduce((a, b) => a * b, elementBytes);
  const [rowBytes, chunkRowBytes] = [bytes(rowShape), bytes(chunk)];
  const origin = (column: number): number[] => {
    const at: number[] = [];
    for (let d = rowShape.length - 1, rest = column; d >= 0; d--) {
      at[d] = (rest % counts[d]) * chunk[d];
      rest = Math.floor(rest / counts[d]);
    }
    return at;
  };
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    addRuns(runs, column, origin(column), rowShape, chunk, elementBytes);
  }
  return {
    columns,
    isEdge: (column) => origin(column).some((at, d) => at + chunk[d] > rowShape[d]),
    scatter(from, rows, chunks, out) {
      for (const run of runs) {
        const target = chunks[run.column];
        for (let r = 0; r < rows; r++) {
          const at = r * rowBytes + run.from;
          target.set(from.subarray(at, at + run.bytes), out + r * chunkRowBytes + run.to);
        }
      }
    },
  };
}

function addRuns(
  runs: Run[],
  column: number,
  origin: readonly number[],
  shape: readonly number[],
  chunk: readonly number[],
  elementBytes: number,
): void {
  const last = shape.length - 1;
  const extent = shape.map((size, d) => Math.min(chunk[d], size - origin[d]));
  const lines = extent.slice(0, last).reduce((a, b) => a * b, 1);
  for (let line = 0; line < lines; line++) {
    let [from, to, rest] = [origin[last], 0, line];
    let [fromStep, toStep] = [shape[last], chunk[last]];
    for (let d = last - 1; d >= 0; d--) {
      const at = rest % extent[d];
      rest = Math.floor(rest / extent[d]);
      from += (origin[d] + at) * fromStep;
      to += at * toStep;
      fromStep *= shape[d];
      toStep *= chunk[d];
    }
    runs.push({ column, from: from * elementBytes, to: to * elementBytes, bytes: extent[last] * elementBytes });
  }
}
