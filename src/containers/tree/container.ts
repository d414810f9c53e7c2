/**
 * The common interface of all containers: a tree of groups and arrays with attributes. It is independent of cells,
 * genes and Arrow, so that one reader can handle a format in several containers.
 */

import type { ReadOptions, SourcePlan } from "../../io/sources/source.js";
import type { ContainerKind } from "../../model/dataset.js";
import type { FloatType, IntType, StoredType, StoredValues } from "../../model/stored.js";
import type { StoredChunks } from "./stored-chunks.js";

/** An opened file or store. */
export interface Container {
  readonly kind: ContainerKind;
  /** The name of the file or store in error messages. */
  readonly name: string;
  readonly root: Group;
  /** The user block that precedes the data of an HDF5 file; absent if there is none. */
  readonly userBlock?: Uint8Array;
  /**
   * Opens the node that an object reference points to.
   * @throws {InvalidDataError} if the reference points to nothing.
   */
  dereference(reference: Reference): Promise<Node>;
  /**
   * Returns the `id` of the node that a reference points to, even if the node does not exist; null for a null
   * reference.
   */
  dereferencedId?(reference: Reference): string | null;
  /**
   * Opens the array that a reference points to, if the array is small and completely in memory already; else returns
   * null.
   * @throws the errors of `dereference`, but without the source and the element.
   */
  dereferenceInMemory?(reference: Reference): StoredArray | null;
  close(): Promise<void>;
}

/**
 * The plans of stored arrays, by container. Each container declares its own plan here, so that this file does not
 * depend on any container.
 */
export interface ArrayPlans {}

/** A stored array in serializable form, from which a worker can reopen it (`../open/array-plan.ts`). */
export type ArrayPlan = {
  [Container in keyof ArrayPlans]: {
    readonly source: SourcePlan;
    readonly container: Container;
    readonly array: ArrayPlans[Container];
  };
}[keyof ArrayPlans];

export type Node = Group | StoredArray;

interface NodeBase {
  /** The absolute path without the leading slash; `""` is the root. */
  readonly path: string;
  /**
   * The identity of the stored object. Two nodes of the same object have the same identity, whichever links lead to it.
   */
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /**
   * Returns the types of all attributes that are numbers or lists of numbers. Absent if attributes have no types of
   * their own, or if there are no attributes.
   */
  attributeTypes?(options?: ReadOptions): Promise<ReadonlyMap<string, IntType | FloatType>>;
}

export interface Group extends NodeBase {
  readonly kind: "group";
  /**
   * For an R list: the names of the elements, in the order of the keys; null if the list has no names. Absent or null
   * for everything else.
   */
  readonly elementNames?: readonly (string | null)[] | null;
  /**
   * Returns the names of the children. They are sorted by code point, except that list elements keep their order.
   * Broken links are included, but opening them fails.
   */
  keys(options?: ReadOptions): Promise<readonly string[]>;
  /**
   * Opens the child with this name. `name` is one path segment without special meaning (`..`, `%` and `#` mean
   * nothing).
   * @throws {NotFoundError} if there is no such child, or if its link is broken.
   * @throws {UnsupportedError} for external links, external storage, virtual datasets of other files, and links out of
   * the store.
   */
  open(name: string, options?: ReadOptions): Promise<Node>;
  /**
   * Returns the identity of a child that is a named type, which `open` refuses to open; null for other children. Absent
   * in containers without named types.
   */
  namedTypeId?(name: string, options?: ReadOptions): Promise<string | null>;
  /**
   * Returns the attributes with their stored types and shapes. Each attribute is an array that is opened on request.
   * Opening it throws if a part of it cannot be read. Absent if attributes have no types of their own.
   */
  openAttributes?(options?: ReadOptions): Promise<ReadonlyMap<string, () => Promise<StoredArray>>>;
}

export interface StoredArray extends NodeBase {
  readonly kind: "array";
  readonly type: StoredType;
  /** The shape: `[]` for a scalar, null for a null dataspace (no value at all). */
  readonly shape: readonly number[] | null;
  /** The shape of the smallest unit that is decoded; null if any range can be read at no extra cost. */
  readonly chunks: readonly number[] | null;
  /**
   * The value of elements that were never written, which xarray treats as missing (Zarr v2). Absent if there is no such
   * value, and always absent in other containers.
   */
  readonly fillValue?: number | bigint;
  /**
   * The dimension names, null for an unnamed dimension. Absent if the container stores no names, or only in attributes.
   */
  readonly dimensionNames?: readonly (string | null)[];
  /** The plan from which a worker reopens the array; absent if workers cannot reopen it. */
  readonly plan?: ArrayPlan;
  /**
   * Reads the rows [start, end) along the first dimension, in C order. A scalar is read as the rows [0, 1).
   * @throws {UnsupportedError} before any value is returned, if a filter, codec or type is not available.
   * @throws {InvalidDataError} if the stored bytes do not decode to these values.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<StoredValues>;
  /**
   * Reads rows like `read`, but into the caller's memory, which may have any alignment and be reused. `target` has
   * exactly the size of the values, which are little-endian (`bool` as one byte, complex as two floats). Absent if the
   * values have no fixed size, or if the container has no faster way than `read`.
   */
  readInto?(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /** Optional capabilities; absent if there are none. */
  readonly capabilities?: Capabilities;
}

/**
 * Capabilities that only some arrays have, and facts about reading them, by name. A capability of a single container is
 * declared next to the container's arrays (`../bp128/packed-integers.ts`), so that this file does not depend on any
 * container.
 */
export interface Capabilities {
  /** Returns all values if they are few and already in memory. They must not be changed. */
  readonly inMemory?: () => StoredValues;
  /**
   * Returns an array with the same values in another form.
   * @throws {UnsupportedError} if the values cannot have this form.
   */
  readonly view?: (view: ArrayView) => StoredArray;
  readonly blocks?: ReadBoxChunks;
  /**
   * Returns a compound array with only these fields, given as ascending positions; null if the fields cannot be read
   * separately.
   */
  readonly withFields?: (fields: readonly number[]) => StoredArray | null;
  /** The chunks as they are stored. */
  readonly storedChunks?: StoredChunks;
  /** The number of rows for which reading them together, into reused memory, is faster than reading chunk by chunk. */
  readonly rowsAtOnce?: number;
  /** Size in bytes of one row while it is read, if it does not follow from the type and shape. */
  readonly rowBytes?: number;
}

/**
 * Reads the values in a box of a chunked matrix whose values have a fixed size. Visits the chunks in any order, and
 * decodes each only once. Values that are never visited have only zero bits.
 */
export type ReadBoxChunks = (box: MatrixBox, visit: (block: BoxChunk) => void, options?: ReadOptions) => Promise<void>;

/** A rectangular part of a matrix. */
export interface MatrixBox {
  readonly rows: readonly [start: number, end: number];
  readonly cols: readonly [start: number, end: number];
}

/** The part of a box that lies in one chunk, or in a gap that was never written. */
export interface BoxChunk {
  /** The position of the block's first value in the matrix. */
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
  /** Number of values between the starts of consecutive rows. */
  readonly stride: number;
  /**
   * The bytes in the form that `readInto` writes, from the first value to the last. They must not be changed, and are
   * valid until `visit` returns.
   */
  readonly bytes: Uint8Array;
}

/** The form of an array's values, serializable so that it can be sent to workers. */
export interface ArrayView {
  /**
   * `reversed`: the dimensions in reverse order, with rows along the last stored dimension, as in languages with
   * column-major arrays. `flat`: one dimension, for an array in which all dimensions but one have length 1.
   */
  readonly form: "reversed" | "flat";
  /** True if bytes are read as booleans. */
  readonly bool: boolean;
}

/** An opaque reference that only the container that created it can resolve. */
export interface Reference {
  readonly kind: "reference";
  readonly bytes: Uint8Array;
}

/**
 * An attribute's value. HDF5: scalars as such, arrays as (nested) lists, integers beyond 2^53 as bigint, enum {FALSE,
 * TRUE} as boolean, a null dataspace as null. Zarr: the JSON value, integers beyond 2^53 as bigint. An attribute that
 * cannot be read is an `UnreadableAttribute`, so that the node remains readable.
 */
export type AttributeValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | Reference
  | UnreadableAttribute
  | readonly AttributeValue[]
  | { readonly [key: string]: AttributeValue };

export interface UnreadableAttribute {
  readonly kind: "unreadable";
  readonly reason: string;
}

/** Maximum number of chunks. The largest known files have 10^7 chunks; many more indicate a malicious shape. */
export const MAX_CHUNKS = 2 ** 28;
