/**
 * The mirror of `container.ts`: a tree of groups and arrays, written to any container through one writer per format.
 * Memory does not grow with the data: rows of an array are appended, and several arrays may be open at once.
 */

import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import type { ContainerKind } from "../../model/dataset.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { StoredChunks } from "./stored-chunks.js";

/** A container that is being written. The caller owns its target, and commits or aborts it. */
export interface ContainerWriter {
  readonly kind: ContainerKind;
  /** The name of the file or store in errors. */
  readonly name: string;
  readonly root: GroupWriter;
  /**
   * Returns the value of type `reference` for an array that is added later, at this path. Absent where the container has
   * no references.
   */
  reserve?(path: string): bigint;
  /**
   * Writes the description of the data. Nothing can be added afterwards.
   * @throws {TypeError} where an array is still open, or one that `reserve` named was never added.
   */
  close(): Promise<void>;
}

/**
 * An attribute's value with its type. Zarr writes the equivalent JSON. `shape` is `[]` for a scalar, null for no value.
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
   * @throws {InvalidInputError} for a name that the container cannot hold, or that exists already.
   */
  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter>;
  /**
   * Adds an array, to be filled row by row and closed.
   * @throws {InvalidInputError} like `group`.
   * @throws {UnsupportedError} for a type that the container has no form for.
   */
  array(name: string, description: ArrayDescription): Promise<ArrayWriter>;
  /**
   * Adds an array with the chunks of another one, as they are stored there. Absent where the container has no chunks.
   * @returns null, without an array, where the container cannot store these chunks; else a function that copies them.
   * @throws {InvalidInputError} like `group`.
   * @throws {InvalidDataError} where the index of the chunks is damaged.
   */
  keep?(name: string, array: ChunkCopy): Promise<CopyChunks | null>;
}

/** An array that is written with copied chunks of another array. */
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
 * Copies the chunks, and ends the array.
 * @param progress called with the number of chunks that are copied.
 * @throws {InvalidDataError} where the source has changed, or a chunk does not have the length that it must have.
 */
export type CopyChunks = (progress: (done: number, total: number) => void) => Promise<void>;

export interface ArrayDescription {
  readonly type: StoredType;
  /**
   * The shape: `[]` for a scalar; `null` for a null dataspace. A first dimension of null becomes known when the array
   * is closed.
   */
  readonly shape: readonly [rows: number | null, ...rest: number[]] | readonly [] | null;
  readonly attributes?: WrittenAttributes;
  /** The dimension names, null for an unnamed one (Zarr only; in v2 as xarray's attribute `_ARRAY_DIMENSIONS`). */
  readonly dimensionNames?: readonly (string | null)[];
  /** The shape of chunks; by default the container chooses it. */
  readonly chunks?: readonly number[];
  /** Applies the container's compression; true by default. */
  readonly compressed?: boolean;
  /**
   * The dimensions that may grow later (HDF5's unlimited maximum). True means the first dimension; a first dimension of
   * null implies it.
   */
  readonly extendable?: boolean | readonly number[];
  /**
   * The dimension along which values are appended: the first, or the last for matrices that come by columns (HDF5
   * only). Chunks are then as large as the array in all dimensions between these.
   */
  readonly along?: number;
  /**
   * Whether the array has one more dimension, of 1, in front of its shape's dimensions: a row of values (HDF5 only).
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
   * Appends `rows` rows (a scalar is one), in C order. Once it resolves, the memory may be used again. A matrix that
   * comes by columns takes `rows` columns, as a block [all rows, columns] in C order; every block but the last must
   * have whole chunks.
   * @throws {TypeError} where the values do not have the array's type, or there are more rows than its shape has.
   */
  write(values: StoredValues, rows: number): Promise<void>;
  /**
   * Ends the array.
   * @throws {TypeError} where rows are missing.
   */
  close(): Promise<void>;
}

export type { ChunkEncoding, EncodingStep } from "../../kernels/codecs/encode-chunk.js";

/** Encodes chunks, in workers if available. */
export interface ChunkEncoder {
  /** Recommended number of concurrent chunks, for the size of the last call of `memory`. */
  readonly window: number;
  /**
   * Returns memory for a chunk of `bytes` bytes, with old contents or zeros. Memory that was passed to `encode` is
   * reused here.
   */
  memory(bytes: number): Uint8Array<ArrayBuffer>;
  /** Encodes a chunk, which must be the whole memory returned by `memory`, and must not be used after this call. */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array>;
  /** Cancels all pending work. */
  close(): void;
}
