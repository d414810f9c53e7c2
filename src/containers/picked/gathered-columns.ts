/** Gathers rows and columns of a matrix in chunks along both axes. Reads only chunks that hold some of them. */

import type { ReadOptions } from "../../sources/source.js";
import type { MatrixBlock, ReadBlocks, StoredArray } from "../tree/container.js";
import { fixedSize } from "./gathered-rows.js";
import { type PiecesOfRows, type RowRuns, risingPieces } from "./row-runs.js";

/** Rows whose chunks are read together, where chunks have fewer. */
const BAND = 1024;

/** Picked columns in neighbouring chunks: positions [first, end) of the sorted columns. */
interface ColumnGroup {
  readonly first: number;
  readonly end: number;
}

export class GatheredColumns {
  readonly #blocks: ReadBlocks;
  readonly #valueBytes: number;
  readonly #rows: RowRuns;
  /** The picked columns in their stored order, and the place of each in a row of the part. */
  readonly #cols: Int32Array;
  readonly #places: Int32Array;
  readonly #groups: readonly ColumnGroup[];
  readonly #chunkRows: number;

  private constructor(
    blocks: ReadBlocks,
    valueBytes: number,
    [height, chunkRows, chunkCols]: readonly [number, number, number],
    rows: RowRuns | null,
    cols: Int32Array,
  ) {
    this.#blocks = blocks;
    this.#valueBytes = valueBytes;
    this.#rows = rows ?? { starts: Float64Array.of(0), ends: Float64Array.of(height) };
    this.#places = Int32Array.from(cols.keys()).sort((a, b) => cols[a] - cols[b]);
    this.#cols = this.#places.map((place) => cols[place]);
    this.#groups = neighbours(this.#cols, chunkCols);
    this.#chunkRows = chunkRows;
  }

  /** Null for an array that has no chunks along its columns, or whose values have no fixed size. */
  static of(array: StoredArray, rows: RowRuns | null, cols: Int32Array | null): GatheredColumns | null {
    const { shape, chunks, capabilities, type } = array;
    const valueBytes = fixedSize(type);
    const blocks = capabilities?.blocks;
    if (cols === null || valueBytes === null || blocks === undefined) return null;
    if (shape?.length !== 2 || chunks?.length !== 2 || chunks[1] >= shape[1]) return null;
    return new GatheredColumns(blocks, valueBytes, [shape[0], chunks[0], chunks[1]], rows, cols);
  }

  /**
   * Copies the rows [start, end) of the part.
   * @param target memory of exactly the rows' size.
   */
  async into(start: number, end: number, target: Uint8Array, options: ReadOptions): Promise<void> {
    // Values that no chunk has are zero.
    target.fill(0);
    const chunk = this.#chunkRows;
    const band = chunk * Math.max(1, Math.floor(BAND / chunk));
    const pieces = risingPieces(this.#rows, start, end, band);
    for (let first = 0; first < pieces.count; ) {
      let stop = pieces.rows[first] + pieces.lengths[first];
      let next = first + 1;
      const isNear = () =>
        pieces.rows[next] - stop < chunk &&
        Math.floor(pieces.rows[next] / band) === Math.floor(pieces.rows[first] / band);
      for (; next < pieces.count && isNear(); next++) stop = Math.max(stop, pieces.rows[next] + pieces.lengths[next]);
      const rows = [pieces.rows[first], stop] as const;
      for (const group of this.#groups) {
        const cols = [this.#cols[group.first], this.#cols[group.end - 1] + 1] as const;
        const visit = (block: MatrixBlock) => this.#take(block, group, pieces, [first, next], target);
        await this.#blocks({ rows, cols }, visit, options);
      }
      first = next;
    }
  }

  /** Copies the picked values of a block. */
  #take(
    { row, col, rows, cols, stride, bytes }: MatrixBlock,
    group: ColumnGroup,
    pieces: PiecesOfRows,
    [first, next]: readonly [number, number],
    target: Uint8Array,
  ): void {
    const size = this.#valueBytes;
    let left = group.first;
    while (left < group.end && this.#cols[left] < col) left++;
    let right = left;
    while (right < group.end && this.#cols[right] < col + cols) right++;
    if (left === right) return;
    for (let i = first; i < next && pieces.rows[i] < row + rows; i++) {
      const low = Math.max(row, pieces.rows[i]);
      const high = Math.min(row + rows, pieces.rows[i] + pieces.lengths[i]);
      for (let at = low; at < high; at++) {
        const from = (at - row) * stride - col;
        const to = (pieces.places[i] + at - pieces.rows[i]) * this.#cols.length;
        for (let k = left; k < right; k++) {
          const source = (from + this.#cols[k]) * size;
          const place = (to + this.#places[k]) * size;
          for (let byte = 0; byte < size; byte++) target[place + byte] = bytes[source + byte];
        }
      }
    }
  }
}

/** Groups sorted columns so that no chunk between two columns of a group is without one. */
function neighbours(cols: Int32Array, chunk: number): readonly ColumnGroup[] {
  const groups: ColumnGroup[] = [];
  for (let first = 0; first < cols.length; ) {
    let end = first + 1;
    while (end < cols.length && Math.floor(cols[end] / chunk) - Math.floor(cols[end - 1] / chunk) <= 1) end++;
    groups.push({ first, end });
    first = end;
  }
  return groups;
}
