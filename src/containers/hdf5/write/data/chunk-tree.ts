/**
 * The chunk index of written files, which is a version 1 B-tree. Source: HDF5 File Format Specification, III.A.1, type
 * 1.
 */

import { writeTree } from "../space/b-trees.js";
import type { FileSpace } from "../space/file-space.js";

export interface ChunkGrid {
  readonly chunk: readonly number[];
  /** The number of adjacent chunks in each dimension except the first. */
  readonly columns: readonly number[];
  readonly elementBytes: number;
}

/**
 * @param chunks the chunks of the grid, in row-major order.
 * @returns the root's address; null if there are no chunks.
 */
export async function writeChunkTree(
  space: FileSpace,
  k: number,
  chunks: ChunkList,
  { chunk, columns, elementBytes }: ChunkGrid,
): Promise<number | null> {
  const { count } = chunks;
  if (count === 0) return null;
  const rank = chunk.length;
  return await writeTree(space, {
    type: 1,
    k,
    keyBytes: 8 + 8 * (rank + 1),
    count,
    key: (i, view, at) => {
      // The last key must be an upper bound past the last chunk in every dimension; otherwise readers miss chunks.
      const isBound = i === count;
      let rest = chunks.place(isBound ? i - 1 : i);
      if (!isBound) {
        view.setUint32(at, chunks.size(i), true);
        view.setUint32(at + 4, chunks.skipped(i), true);
      }
      for (let d = rank - 1; d >= 0; d--) {
        const place = d === 0 ? rest : rest % columns[d - 1];
        rest = d === 0 ? 0 : Math.floor(rest / columns[d - 1]);
        const bound = d === 0 ? place + 1 : columns[d - 1];
        setU64(view, at + 8 + 8 * d, (isBound ? bound : place) * chunk[d]);
      }
      if (isBound) setU64(view, at + 8 + 8 * rank, elementBytes);
    },
    child: (i) => chunks.address(i),
  });
}

function setU64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}

/**
 * The locations of an array's chunks in the file. Each takes 12 bytes, and 8 more if some chunks are missing or were
 * added in another order.
 */
export class ChunkList {
  #addresses = new Float64Array(16);
  #sizes = new Uint32Array(16);
  /** The position of each chunk in the grid; null as long as every chunk i has position i. */
  #places: Float64Array | null = null;
  /** The filters that were skipped for each chunk; null as long as no filter was skipped. */
  #skipped: Uint32Array | null = null;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * @param place the chunk's index in the grid, in row-major order.
   * @param skipped bit k is set if the chunk skipped filter k.
   */
  add(place: number, address: number, bytes: number, skipped = 0): void {
    if (this.#count === this.#addresses.length) this.#grow();
    if (skipped !== 0) this.#skipped ??= new Uint32Array(this.#addresses.length);
    if (this.#skipped !== null) this.#skipped[this.#count] = skipped;
    if (place !== this.#count) this.#places ??= Float64Array.from(this.#addresses, (_, i) => i);
    if (this.#places !== null) this.#places[this.#count] = place;
    this.#addresses[this.#count] = address;
    this.#sizes[this.#count++] = bytes;
  }

  /** Sorts the chunks by position. */
  sort(): void {
    const count = this.#count;
    const places = this.#places?.subarray(0, count) ?? null;
    if (places === null || places.every((place, i) => i === 0 || places[i - 1] < place)) return;
    const order = Uint32Array.from(places, (_, i) => i).sort((a, b) => places[a] - places[b]);
    this.#places = Float64Array.from(order, (i) => places[i]);
    this.#addresses = Float64Array.from(order, (i) => this.#addresses[i]);
    this.#sizes = Uint32Array.from(order, (i) => this.#sizes[i]);
    const skipped = this.#skipped;
    if (skipped !== null) this.#skipped = Uint32Array.from(order, (i) => skipped[i]);
  }

  place(i: number): number {
    return this.#places === null ? i : this.#places[i];
  }

  address(i: number): number {
    return this.#addresses[i];
  }

  size(i: number): number {
    return this.#sizes[i];
  }

  /** Returns the filters that were skipped for chunk `i`. */
  skipped(i: number): number {
    return this.#skipped?.[i] ?? 0;
  }

  #grow(): void {
    const grown = (from: Float64Array) => {
      const to = new Float64Array(2 * this.#count);
      to.set(from);
      return to;
    };
    const sizes = new Uint32Array(2 * this.#count);
    sizes.set(this.#sizes);
    this.#sizes = sizes;
    this.#addresses = grown(this.#addresses);
    if (this.#places !== null) this.#places = grown(this.#places);
    if (this.#skipped !== null) {
      const skipped = new Uint32Array(2 * this.#count);
      skipped.set(this.#skipped);
      this.#skipped = skipped;
    }
  }
}
