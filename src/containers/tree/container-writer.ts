/**
 * The mirror of `container.ts`: a tree of groups and arrays that is written, by one writer per format, to any container.
 * Memory does not grow with the data: rows of an array are appended, several arrays may be open at once.
 */

import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import type { ContainerKind } from "../../model/dataset.js";
import type { StoredType, StoredValues } from "../../model/stored.js";

/** A container while it is written. What it is written to is the caller's: to commit, or to abort. */
export interface ContainerWriter {
  readonly kind: ContainerKind;
  /** What errors call the file or store. */
  readonly name: string;
  readonly root: GroupWriter;
  /**
   * Writes what describes the data; nothing can be added after it.
   * @throws {TypeError} where an array is still open.
   */
  close(): Promise<void>;
}

/** What stored values have, and sequences of variable length besides (HDF5 alone). */
export type WrittenType = StoredType | { readonly kind: "sequence"; readonly item: StoredType };

/** Sequence i is `values[offsets[i] … offsets[i + 1]]`. */
export interface SequenceValues {
  readonly kind: "sequence";
  readonly offsets: Int32Array;
  readonly values: StoredValues;
}

export type WrittenValues = StoredValues | SequenceValues;

/** An attribute's value with its type. Zarr writes the JSON that it means. `shape` is `[]` for a scalar, null for none. */
export interface WrittenAttribute {
  readonly type: WrittenType;
  readonly shape: readonly number[] | null;
  /** null where the shape is. */
  readonly values: WrittenValues | null;
}

export type WrittenAttributes = ReadonlyMap<string, WrittenAttribute>;

export interface GroupWriter {
  /** Absolute path without the leading slash; `""` is the root. */
  readonly path: string;
  /** Adds an attribute, until the container is closed. */
  attribute(name: string, attribute: WrittenAttribute): void;
  /**
   * A new child. `name` is one path segment, taken as it is.
   * @throws {InvalidInputError} for a name that the container cannot hold, or that is there already.
   */
  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter>;
  /**
   * A new array, to be filled row by row and closed.
   * @throws {InvalidInputError} as `group`.
   * @throws {UnsupportedError} for a type that the container has no form for.
   */
  array(name: string, description: ArrayDescription): Promise<ArrayWriter>;
}

export interface ArrayDescription {
  readonly type: WrittenType;
  /** `[]` for a scalar; `null` for a null dataspace; a first dimension of null is known when the array is closed. */
  readonly shape: readonly [rows: number | null, ...rest: number[]] | readonly [] | null;
  readonly attributes?: WrittenAttributes;
  /** The shape of chunks; else what the container thinks best. */
  readonly chunks?: readonly number[];
  /** False: stored as it is, whatever compression the container has. */
  readonly compressed?: boolean;
  /**
   * Which dimensions may grow later (HDF5's unlimited maximum); true is the first, which is implied by a first dimension
   * of null.
   */
  readonly extendable?: boolean | readonly number[];
  /**
   * The dimension along which values are appended: the first, or the last for matrices that come by columns (HDF5
   * alone), in chunks that are as large as the array in all dimensions between these.
   */
  readonly along?: number;
  /** Whether the array has one more dimension, of 1, before those of its shape: a row of values (HDF5 alone). */
  readonly leadingOne?: boolean;
  /** Whether chunks that hold nothing but zero bytes may be left out: what is not there reads as zeros (HDF5 alone). */
  readonly sparse?: boolean;
}

export interface ArrayWriter {
  readonly path: string;
  /**
   * Appends `rows` rows (a scalar is one), in C order; once it resolves the memory may be used again. Of a matrix that
   * comes by columns: so many columns, as a block [all rows, columns] in C order; whole chunks but for the last ones.
   * @throws {TypeError} where the values are not of the array's type, or more rows than its shape has.
   */
  write(values: WrittenValues, rows: number): Promise<void>;
  /**
   * Ends the array.
   * @throws {TypeError} where rows are missing.
   */
  close(): Promise<void>;
}

export type { ChunkEncoding, EncodingStep } from "../../kernels/codecs/encode-chunk.js";

/** Encodes chunks, in workers where there are any. */
export interface ChunkEncoder {
  /** How many chunks it is worth to have under way at once: of the size that `memory` was last asked for. */
  readonly window: number;
  /** Memory for a chunk of so many bytes, as it was left or zeros; what `encode` took comes back here. */
  memory(bytes: number): Uint8Array<ArrayBuffer>;
  /** The chunk encoded. `chunk` is from `memory`, whole, and gone once this is called. */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array>;
  /** Ends what is still under way. */
  close(): void;
}
