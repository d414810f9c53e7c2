/**
 * The interface of chunk indexes, which find a dataset's stored chunks, and the chunk numbering that several indexes
 * share.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";

export interface StoredChunk {
  /** The position of the chunk's first element in the dataset, in elements per dimension. */
  readonly offset: readonly number[];
  readonly address: number;
  readonly storedBytes: number;
  /** Bit k is set if filter k was skipped. */
  readonly filterMask: number;
}

/** Selects all chunks that overlap certain rows. */
export interface ChunkSelection {
  readonly rows: readonly [start: number, end: number];
  /**
   * The columns [start, end). They limit the second dimension as far as that is cheap, so other chunks may also be
   * found.
   */
  readonly columns?: readonly [start: number, end: number];
  /**
   * The shape of the dataset. Chunks that lie completely outside it (left over when a dataset was shrunk) are skipped.
   */
  readonly shape: readonly number[];
}

export interface ChunkIndex {
  /**
   * Finds the stored chunks in the selection, each once, in the index's own order. Addresses and sizes are returned as
   * stored, and have not been checked against the file size yet.
   * @throws {InvalidDataError} if the index is damaged.
   */
  find(selection: ChunkSelection, options?: ReadOptions): Promise<StoredChunk[]>;
}

/** A range of chunk numbers [start, end). */
export interface ChunkRange {
  readonly start: number;
  readonly end: number;
}

export class LinearIndex {
  /** The number of possible chunks; null if a dimension is unlimited. */
  readonly total: number | null;
  readonly #chunk: readonly number[];
  /** The dimensions, slowest first. */
  readonly #order: readonly number[];
  /** For each dimension, the difference between the numbers of chunks that are adjacent along it. */
  readonly #strides: readonly number[];

  /**
   * @param maximum null for an unlimited dimension.
   * @throws {InvalidDataError} if the number of unlimited dimensions differs from `unlimited`.
   */
  constructor(chunk: readonly number[], maximum: readonly (number | null)[], unlimited: 0 | 1) {
    const free = maximum.flatMap((size, d) => (size === null ? [d] : []));
    if (free.length !== unlimited) {
      throw new InvalidDataError(
        `chunk index for ${unlimited} unlimited dimensions, but the dataset has ${free.length}`,
      );
    }
    this.#chunk = chunk;
    this.#order = [...free, ...maximum.flatMap((size, d) => (size === null ? [] : [d]))];
    const strides = chunk.map(() => 1);
    let stride = 1;
    for (const d of [...this.#order].reverse()) {
      strides[d] = stride;
      const size = maximum[d];
      if (size !== null) stride *= Math.ceil(size / chunk[d]);
    }
    if (stride > Number.MAX_SAFE_INTEGER) {
      throw new InvalidDataError(`maximum shape ${maximum.join(" x ")} has more than 2^53 chunks`);
    }
    this.#strides = strides;
    this.total = unlimited === 1 ? null : stride;
  }

  /** Returns the numbers of the selected chunks below `limit` in ascending order, as ranges. */
  runs({ rows: [start, end], columns, shape }: ChunkSelection, limit = Number.POSITIVE_INFINITY): ChunkRange[] {
    if (end <= start || shape.some((size) => size === 0)) return [];
    const chunk = this.#chunk;
    const order = this.#order;
    const strides = this.#strides;
    const wanted = [[start, end], ...(columns === undefined ? [] : [columns])];
    const low = shape.map((_, d) => Math.floor((wanted[d]?.[0] ?? 0) / chunk[d]));
    const high = shape.map((size, d) => Math.ceil(Math.min(wanted[d]?.[1] ?? size, size) / chunk[d]));
    if (low.some((position, d) => position >= high[d])) return [];
    const fastest = order[order.length - 1];
    const width = high[fastest] - low[fastest];
    const at = [...low];
    const runs: { start: number; end: number }[] = [];
    let first = low.reduce((sum, position, d) => sum + position * strides[d], 0);
    while (first < limit) {
      const last = runs[runs.length - 1];
      const runEnd = Math.min(first + width, limit);
      if (last !== undefined && last.end === first) last.end = runEnd;
      else runs.push({ start: first, end: runEnd });
      let k = order.length - 2;
      for (; k >= 0; k--) {
        const d = order[k];
        first += strides[d];
        if (++at[d] < high[d]) break;
        first -= (high[d] - low[d]) * strides[d];
        at[d] = low[d];
      }
      if (k < 0) break;
    }
    return runs;
  }

  /** Returns the position of the chunk's first element, in elements per dimension. */
  offset(index: number): number[] {
    const offset = this.#chunk.map(() => 0);
    let rest = index;
    for (const d of this.#order) {
      const position = Math.floor(rest / this.#strides[d]);
      rest -= position * this.#strides[d];
      offset[d] = position * this.#chunk[d];
    }
    return offset;
  }
}
