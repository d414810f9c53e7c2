/**
 * The counterpart of `container.ts`: writes a tree of groups and arrays to any container, through one writer per
 * format. Memory does not grow with the data: rows are appended to an array, and several arrays may be open at once.
 */

import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import type { ContainerKind } from "../../model/dataset.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { StoredChunks } from "./stored-chunks.js";

/** A container that is being written. The caller owns its target, and commits or aborts it. */
export interface ContainerWriter {
  readonly kind: ContainerKind;
  /** The name of the file or store in error messages. */
  readonly name: string;
  readonly root: GroupWriter;
  /**
   * Returns the value of type `reference` that refers to an array to be added later at this path. Absent if the
   * container has no references.
   */
  reserve?(path: string): bigint;
  /**
   * Writes the metadata. Nothing can be added afterwards.
   * @throws {TypeError} if an array is still open, or if an array at a path given to `reserve` was never added.
   */
  close(): Promise<void>;
}

/**
 * An attribute's value with its type; Zarr stores the equivalent JSON. `shape` is `[]` for a scalar, and null if there
 * is no value.
 */
export interface WrittenAttribute {
  readonly type: StoredType;
  readonly shape: readonly number[] | null;
  /** Null where the shape is null. */
  readonly values: StoredValues | null;
}

export type WrittenAttributes = ReadonlyMap<string, WrittenAttribute>;

export interface GroupWriter {
  /** The absolute path without the leading slash; `""` is the root. */
  readonly path: string;
  /** Adds an attribute. Allowed until the container is closed. */
  attribute(name: string, attribute: WrittenAttribute): void;
  /**
   * Adds a child group. `name` is one path segment without special meaning.
   * @throws {InvalidInputError} if the container does not allow the name, or if the name already exists.
   */
  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter>;
  /**
   * Adds an array, which is then filled row by row and closed.
   * @throws {InvalidInputError} like `group`.
   * @throws {UnsupportedError} if the container cannot represent the type.
   */
  array(name: string, description: ArrayDescription): Promise<ArrayWriter>;
  /**
   * Adds an array that consists of another array's chunks, copied as they are stored. Absent if the container has no
   * chunks.
   * @returns a function that copies the chunks; null, without adding an array, if the container cannot store these
   * chunks.
   * @throws {InvalidInputError} like `group`.
   * @throws {InvalidDataError} if the chunk index is damaged.
   */
  keep?(name: string, array: ChunkCopy): Promise<CopyChunks | null>;
}

/** An array to be written by copying another array's chunks. */
export interface ChunkCopy {
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly attributes?: WrittenAttributes;
  /** True if the first dimension may grow later. */
  readonly extendable?: boolean;
  readonly chunks: StoredChunks;
  readonly signal?: AbortSignal;
}

/**
 * Copies the chunks and closes the array.
 * @param progress called with the number of chunks copied so far.
 * @throws {InvalidDataError} if the source has changed, or if a chunk does not have the required length.
 */
export type CopyChunks = (progress: (done: number, total: number) => void) => Promise<void>;

export interface ArrayDescription {
  readonly type: StoredType;
  /**
   * The shape: `[]` for a scalar; `null` for a null dataspace. If the first dimension is null, it is determined when
   * the array is closed.
   */
  readonly shape: readonly [rows: number | null, ...rest: number[]] | readonly [] | null;
  readonly attributes?: WrittenAttributes;
  /**
   * The dimension names; null for an unnamed dimension (Zarr only; v2 stores them in xarray's attribute
   * `_ARRAY_DIMENSIONS`).
   */
  readonly dimensionNames?: readonly (string | null)[];
  /** The chunk shape; chosen by the container by default. */
  readonly chunks?: readonly number[];
  /** Applies the container's compression; true by default. */
  readonly compressed?: boolean;
  /**
   * The dimensions that may grow later (HDF5's unlimited maximum size). True means the first dimension, as does a first
   * dimension of null in the shape.
   */
  readonly extendable?: boolean | readonly number[];
  /**
   * The dimension along which values are appended: the first one, or the last one for a matrix written column by column
   * (HDF5 only). In all other dimensions between these, chunks are then as large as the array.
   */
  readonly along?: number;
  /**
   * Whether to add a dimension of length 1 before the dimensions in `shape`, which turns the values into a row (HDF5
   * only).
   */
  readonly leadingOne?: boolean;
  /** Allows omitting chunks of zero bytes, since a missing chunk reads as zeros (HDF5 only). */
  readonly sparse?: boolean;
  /** Declares an array without values, which reads as zeros and takes no space (HDF5 only). */
  readonly unwritten?: boolean;
}

export interface ArrayWriter {
  readonly path: string;
  /**
   * Appends `rows` rows (a scalar counts as one), in C order. Once the promise resolves, the memory may be used again.
   * For a matrix written column by column, `rows` is a number of columns, given as a block [all rows, columns] in C
   * order; every block but the last must consist of whole chunks.
   * @throws {TypeError} if the values do not have the array's type, or if there are more rows than in the array's
   * shape.
   */
  write(values: StoredValues, rows: number): Promise<void>;
  /**
   * Closes the array.
   * @throws {TypeError} if rows are missing.
   */
  close(): Promise<void>;
}

export type { ChunkEncoding, EncodingStep } from "../../kernels/codecs/encode-chunk.js";

/** Encodes chunks, in workers if available. */
export interface ChunkEncoder {
  /** Recommended number of chunks to encode concurrently, based on the size in the last call of `memory`. */
  readonly window: number;
  /**
   * Returns memory for a chunk of `bytes` bytes, which may contain zeros or old data. Reuses memory that was passed to
   * `encode`.
   */
  memory(bytes: number): Uint8Array<ArrayBuffer>;
  /**
   * Encodes a chunk, which must be the whole memory returned by `memory`. That memory must not be used after this call.
   */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array>;
  /** Cancels all pending work. */
  close(): void;
}
