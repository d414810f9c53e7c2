/**
 * The encoded chunks of an array, as they are stored: one container lists them, and the same container or another one
 * stores their bytes again, if both agree on grid, type and codecs.
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

/** One step of the chunk encoding, by its name in each container. */
export interface StoredCodec {
  /** The codec in Zarr, with numcodecs' id or the name in version 3; null if Zarr has no codec for this format. */
  readonly zarr: { readonly name: string; readonly configuration: { readonly [key: string]: CodecValue } } | null;
  /** The HDF5 filter; null if libhdf5 has no built-in filter for this format. */
  readonly hdf5: FilterSpec | null;
}

/** The capability `storedChunks` of a chunked array of numbers, or of text that its chunks contain completely. */
export interface StoredChunks {
  readonly container: "hdf5" | "zarr2" | "zarr3";
  /** The chunk shape; for a sharded array, the shape of a shard. */
  readonly chunk: readonly number[];
  /**
   * The steps of the encoding. In Zarr the first steps make bytes of the values: `order` and `bytes`, or
   * `sharding_indexed`.
   */
  readonly codecs: readonly StoredCodec[];
  /**
   * The codecs applied after the values have become bytes, little-endian and in C order; null where the bytes have
   * another form, as text always does.
   */
  readonly behindValues: readonly StoredCodec[] | null;
  /**
   * Looks for the chunks.
   * @throws {InvalidDataError} where their index is damaged, or a chunk is not inside the file.
   */
  find(options?: FindOptions): Promise<FoundChunks>;
}

export interface FindOptions extends ReadOptions {
  /** Positions [start, end) along the first dimension of the chunk grid; all by default. */
  readonly bands?: readonly [start: number, end: number];
}

export interface FoundChunks {
  /** Number of existing chunks. All other chunks read as zeros. */
  readonly count: number;
  /** True if a codec was skipped for some chunks, which only HDF5 can represent. */
  readonly skipsCodecs: boolean;
  /**
   * Yields the chunks. Several pieces may be in use at once.
   * @param files whether chunks may come as files of the file system, to be copied by it.
   */
  pieces(files: boolean, options?: ReadOptions): AsyncIterable<StoredChunkBatch>;
  /** @throws {InvalidDataError} if the source detects that chunks have changed since they were found. */
  checkUnchanged(): Promise<void>;
}

export type StoredChunkBatch =
  | {
      readonly kind: "bytes";
      readonly bytes: Uint8Array;
      /** True if the memory may be overwritten until `release`. */
      readonly isOwn: boolean;
      readonly chunks: readonly IndexedChunk[];
      /** Releases the memory, which is then reused. */
      release(): void;
    }
  | {
      readonly kind: "file";
      readonly place: number;
      /** Finds the file, which contains exactly one chunk; null if it does not exist. */
      locate(): Promise<StoredFile | null>;
    };

export interface IndexedChunk {
  /** The chunk's position in the grid, in row-major order. */
  readonly place: number;
  /** Position of the chunk's first byte in the piece, and number of its bytes. */
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

/** True for numbers. Every container with chunks stores the same bytes for them. */
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
