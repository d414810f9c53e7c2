/**
 * An array's encoded chunks as they are stored. One container lists them, and the same or another container stores
 * their bytes again, if both agree on grid, type and codecs.
 */

import type { ReadOptions, StoredFile } from "../../io/sources/source.js";
import type { StoredType } from "../../model/stored.js";

export type CodecValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly CodecValue[]
  | { readonly [key: string]: CodecValue };

/** A filter of HDF5, by its number. */
export interface FilterSpec {
  readonly id: number;
  readonly values: readonly number[];
}

/** One step of the chunk encoding, with its name in each container. */
export interface StoredCodec {
  /**
   * The codec in Zarr, named by the numcodecs id or by the name in version 3; null if Zarr has no codec for this
   * format.
   */
  readonly zarr: { readonly name: string; readonly configuration: { readonly [key: string]: CodecValue } } | null;
  /** The HDF5 filter; null if libhdf5 has no built-in filter for this format. */
  readonly hdf5: FilterSpec | null;
}

/** The capability `storedChunks` of a chunked array that contains numbers, or text stored entirely in the chunks. */
export interface StoredChunks {
  readonly container: "hdf5" | "zarr2" | "zarr3";
  /** The chunk shape; for a sharded array, the shape of a shard. */
  readonly chunk: readonly number[];
  /**
   * The steps of the encoding. In Zarr, the first steps convert the values to bytes: `order` and `bytes`, or
   * `sharding_indexed`.
   */
  readonly codecs: readonly StoredCodec[];
  /**
   * The codecs applied after the values have become little-endian bytes in C order; null if the bytes have another
   * form, as they always do for text.
   */
  readonly behindValues: readonly StoredCodec[] | null;
  /**
   * Finds the chunks.
   * @throws {InvalidDataError} if the chunk index is damaged, or if a chunk is not inside the file.
   */
  find(options?: FindOptions): Promise<FoundChunks>;
}

export interface FindOptions extends ReadOptions {
  /** Positions [start, end) along the first dimension of the chunk grid; by default all positions. */
  readonly bands?: readonly [start: number, end: number];
}

export interface FoundChunks {
  /** Number of existing chunks. All other chunks read as zeros. */
  readonly count: number;
  /** True if a codec was skipped for some chunks. Only HDF5 can represent such chunks. */
  readonly skipsCodecs: boolean;
  /**
   * Yields the chunks. Several pieces may be in use at once.
   * @param files whether chunks may be returned as files, which the file system then copies.
   */
  pieces(files: boolean, options?: ReadOptions): AsyncIterable<StoredChunkBatch>;
  /** @throws {InvalidDataError} if the source detects that chunks have changed since they were found. */
  checkUnchanged(): Promise<void>;
}

export type StoredChunkBatch =
  | {
      readonly kind: "bytes";
      readonly bytes: Uint8Array;
      /** True if the memory may be overwritten until `release` is called. */
      readonly isOwn: boolean;
      readonly chunks: readonly IndexedChunk[];
      /** Releases the memory so that it can be reused. */
      release(): void;
    }
  | {
      readonly kind: "file";
      readonly place: number;
      /** Finds the file, which contains exactly one chunk; null if it does not exist. */
      locate(): Promise<StoredFile | null>;
    };

export interface IndexedChunk {
  /** The chunk's index in the grid, in row-major order. */
  readonly place: number;
  /** The position of the chunk's first byte in the piece, and the chunk's size in bytes. */
  readonly start: number;
  readonly length: number;
  /** Bit k is set if codec k was skipped. */
  readonly skipped: number;
}

/** Returns the number of chunks along each dimension. */
export function computeGridShape(shape: readonly number[], chunk: readonly number[]): number[] {
  return shape.map((size, d) => Math.ceil(size / chunk[d]));
}

/** Returns the coordinates of a chunk in a grid, given its index in C order. */
export function computeChunkPosition(place: number, grid: readonly number[]): number[] {
  const position = grid.map(() => 0);
  let left = place;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    position[axis] = left % grid[axis];
    left = Math.floor(left / grid[axis]);
  }
  return position;
}

/** True for number types. Every container with chunks stores the same bytes for them. */
export function isNumber({ kind }: StoredType): boolean {
  return kind === "bool" || kind === "int" || kind === "float" || kind === "complex";
}

/** True if both types are the same number type. */
export function areOneNumber(a: { readonly kind: string }, b: StoredType): boolean {
  if (!isNumber(b) || a.kind !== b.kind) return false;
  const bits = (type: object) => ("bits" in type ? type.bits : null);
  const signed = (type: object) => ("signed" in type ? type.signed : null);
  return bits(a) === bits(b) && signed(a) === signed(b);
}

/** True if both types are the same number type, or text of any length. */
export function areOneType(a: StoredType, b: StoredType): boolean {
  const isText = (type: StoredType) => type.kind === "text" && type.storage.form === "variable";
  return areOneNumber(a, b) || (isText(a) && isText(b));
}

/** True if the stored chunks of an array can be read. */
export function hasChunks({
  capabilities,
}: {
  readonly capabilities?: { readonly storedChunks?: StoredChunks };
}): boolean {
  return capabilities?.storedChunks !== undefined;
}
