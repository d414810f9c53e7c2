/**
 * The encoded chunks of an array, as they are stored: one container lists them, and the same container or another one
 * stores their bytes again, if both agree on grid, type and codecs.
 */

import type { StoredType } from "../../model/stored.js";
import type { ReadOptions, StoredFile } from "../../sources/source.js";

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

/** One step of the encoding of chunks, by its name in each container. */
export interface StoredCodec {
  /** The codec in Zarr, with numcodecs' id or the name of version 3; null where Zarr has no codec of this format. */
  readonly zarr: { readonly name: string; readonly configuration: { readonly [key: string]: CodecValue } } | null;
  /** The filter of HDF5; null where libhdf5 has no such filter of its own. */
  readonly hdf5: FilterSpec | null;
}

/** The capability `storedChunks` of an array in chunks: of numbers, or of text whose chunks hold all of it. */
export interface StoredChunks {
  readonly container: "hdf5" | "zarr2" | "zarr3";
  /** The shape of a chunk; of a sharded array, the shape of a shard. */
  readonly chunk: readonly number[];
  /**
   * The steps of the encoding. In Zarr the first steps make bytes of the values: `order` and `bytes`, or
   * `sharding_indexed`.
   */
  readonly codecs: readonly StoredCodec[];
  /**
   * The codecs behind the bytes of the values, little-endian and in C order; null where the bytes are in another form,
   * as text always is.
   */
  readonly behindValues: readonly StoredCodec[] | null;
  /**
   * Looks for the chunks.
   * @throws {InvalidDataError} where their index is damaged, or a chunk is not inside the file.
   */
  find(options?: FindOptions): Promise<FoundChunks>;
}

export interface FindOptions extends ReadOptions {
  /** The places along the first dimension of the grid of chunks: from the first to before the second; else all. */
  readonly bands?: readonly [start: number, end: number];
}

export interface FoundChunks {
  /** The number of chunks that are there. All others read as zeros. */
  readonly count: number;
  /** Whether some chunks have skipped a codec, which only HDF5 can note. */
  readonly skipsCodecs: boolean;
  /**
   * Yields the chunks. Several pieces may be in use at once.
   * @param files whether chunks may come as files of the file system, to be copied by it.
   */
  pieces(files: boolean, options?: ReadOptions): AsyncIterable<ChunkPiece>;
  /** @throws {InvalidDataError} where chunks have changed since they were found, as far as the source can tell. */
  checkUnchanged(): Promise<void>;
}

export type ChunkPiece =
  | {
      readonly kind: "bytes";
      readonly bytes: Uint8Array;
      /** Whether the memory may be written to, until `release`. */
      readonly isOwn: boolean;
      readonly chunks: readonly PlacedChunk[];
      /** Gives the memory back, which is then used again. */
      release(): void;
    }
  | {
      readonly kind: "file";
      readonly place: number;
      /** Finds the file, which has one chunk and nothing else; null where it is not there. */
      locate(): Promise<StoredFile | null>;
    };

export interface PlacedChunk {
  /** The chunk's place in the grid, in row-major order. */
  readonly place: number;
  /** The chunk's first byte in the piece, and the number of its bytes. */
  readonly start: number;
  readonly length: number;
  /** Bit k is set where codec k was skipped. */
  readonly skipped: number;
}

/** The number of chunks along each dimension. */
export function gridShape(shape: readonly number[], chunk: readonly number[]): number[] {
  return shape.map((size, d) => Math.ceil(size / chunk[d]));
}

/** The position of a chunk in a grid, by its place in C order. */
export function positionOf(place: number, grid: readonly number[]): number[] {
  const position = grid.map(() => 0);
  let left = place;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    position[axis] = left % grid[axis];
    left = Math.floor(left / grid[axis]);
  }
  return position;
}

/** Tells whether values are numbers, of which every container that has chunks stores the same bytes. */
export function isNumber({ kind }: StoredType): boolean {
  return kind === "bool" || kind === "int" || kind === "float" || kind === "complex";
}

/** Tells whether two types are one type of numbers. */
export function areOneNumber(a: { readonly kind: string }, b: StoredType): boolean {
  if (!isNumber(b) || a.kind !== b.kind) return false;
  const bits = (type: object) => ("bits" in type ? type.bits : null);
  const signed = (type: object) => ("signed" in type ? type.signed : null);
  return bits(a) === bits(b) && signed(a) === signed(b);
}

/** Tells whether two types are one type, of numbers or of text of any length. */
export function areOneType(a: StoredType, b: StoredType): boolean {
  const isText = (type: StoredType) => type.kind === "text" && type.storage.form === "variable";
  return areOneNumber(a, b) || (isText(a) && isText(b));
}

/** Tells whether the stored chunks of an array can be had. */
export function hasChunks({
  capabilities,
}: {
  readonly capabilities?: { readonly storedChunks?: StoredChunks };
}): boolean {
  return capabilities?.storedChunks !== undefined;
}
