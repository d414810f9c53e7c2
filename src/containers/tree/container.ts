/**
 * The one interface of all containers: a tree of groups and arrays with attributes. It is independent of cells, genes
 * and Arrow, so that one reader serves a format that exists in several containers.
 */

import type { ReadOptions, SourcePlan } from "../../io/sources/source.js";
import type { ContainerKind } from "../../model/dataset.js";
import type { FloatType, IntType, StoredType, StoredValues } from "../../model/stored.js";
import type { StoredChunks } from "./stored-chunks.js";

/** An opened file or store. */
export interface Container {
  readonly kind: ContainerKind;
  /** The name of the file or store in errors. */
  readonly name: string;
  readonly root: Group;
  /** The bytes before an HDF5 file's own bytes; absent if there are none. */
  readonly userBlock?: Uint8Array;
  /**
   * Opens the node at which an object reference points.
   * @throws {InvalidDataError} where it points at nothing.
   */
  dereference(reference: Reference): Promise<Node>;
  /** Returns the `id` of the node that a reference refers to, whether or not it exists; null for a null reference. */
  dereferencedId?(reference: Reference): string | null;
  /**
   * Opens the array at which a reference points, if its values are few and all of it is in memory already; else returns
   * null.
   * @throws the errors of `dereference`, but without the source and the element.
   */
  dereferenceInMemory?(reference: Reference): StoredArray | null;
  close(): Promise<void>;
}

/**
 * The plans of stored arrays, by container. Each container declares its own form here, so that this file depends on no
 * container.
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
  /** The identity of the stored object, equal for two nodes of one object, whatever links led there. */
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /**
   * Returns the types of the attributes that are numbers, or lists of them. Absent where attributes have no types of their
   * own, and where there are no attributes.
   */
  attributeTypes?(options?: ReadOptions): Promise<ReadonlyMap<string, IntType | FloatType>>;
}

export interface Group extends NodeBase {
  readonly kind: "group";
  /**
   * For a list of R: the names of its elements, in the order of its keys; null where it has no names. Absent or null
   * for everything else.
   */
  readonly elementNames?: readonly (string | null)[] | null;
  /**
   * Lists the names of the children, sorted by code point; the names of a list come in its own order. Links that lead
   * nowhere are listed, but opening them fails.
   */
  keys(options?: ReadOptions): Promise<readonly string[]>;
  /**
   * Opens the child of this name. `name` is one path segment without special meaning (`..`, `%` and `#` mean nothing).
   * @throws {NotFoundError} where there is no such child, or a link leads to nothing.
   * @throws {UnsupportedError} for external links, external storage, virtual datasets of other files, links out of the
   * store.
   */
  open(name: string, options?: ReadOptions): Promise<Node>;
  /**
   * Returns the identity of a child that is a type with a name, which `open` refuses; null for other children. Absent in
   * containers without such types.
   */
  namedTypeId?(name: string, options?: ReadOptions): Promise<string | null>;
  /**
   * Returns the attributes with their stored types and shapes. Each is an array that is opened on request, which may
   * throw if a part of it cannot be read. Absent where attributes have no types of their own.
   */
  openAttributes?(options?: ReadOptions): Promise<ReadonlyMap<string, () => Promise<StoredArray>>>;
}

export interface StoredArray extends NodeBase {
  readonly kind: "array";
  readonly type: StoredType;
  /** The shape: `[]` for a scalar, null for a null dataspace (no value at all). */
  readonly shape: readonly number[] | null;
  /** The shape of the smallest unit that is decoded; null if reading a range costs no more than the range itself. */
  readonly chunks: readonly number[] | null;
  /**
   * Value of elements that were never written, which xarray treats as missing (Zarr v2). Absent if there is no such
   * value, and in other containers.
   */
  readonly fillValue?: number | bigint;
  /** The dimension names, null for an unnamed one; absent if the container stores none besides the attributes. */
  readonly dimensionNames?: readonly (string | null)[];
  /** The plan from which a worker reopens the array; absent if it cannot. */
  readonly plan?: ArrayPlan;
  /**
   * Reads the rows [start, end) along the first dimension, in C order (a scalar: 0, 1).
   * @throws {UnsupportedError} before any value is returned, where a filter, codec or type is not available.
   * @throws {InvalidDataError} where the stored bytes do not give these values.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<StoredValues>;
  /**
   * Reads rows like `read`, into memory of the caller, which may lie anywhere and be reused. `target` has exactly the
   * bytes of the values, little-endian (`bool` as one byte, complex as two floats). Absent where the values do not have
   * one fixed size, or the container has nothing faster than `read`.
   */
  readInto?(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /** Optional capabilities; absent if there are none. */
  readonly capabilities?: Capabilities;
}

/**
 * Capabilities of few arrays, and facts about their reads, by name. A capability of a single container is declared
 * beside the container's arrays (`../bp128/packed-integers.ts`), so that this file depends on no container.
 */
export interface Capabilities {
  /** Returns all values if they are few and already in memory. They must not be changed. */
  readonly inMemory?: () => StoredValues;
  /**
   * Returns an array with these values in another form.
   * @throws {UnsupportedError} where these values have no such form.
   */
  readonly view?: (view: ArrayView) => StoredArray;
  readonly blocks?: ReadBoxChunks;
  /** Returns a compound array with only these fields, by ascending position; null if they cannot be read alone. */
  readonly withFields?: (fields: readonly number[]) => StoredArray | null;
  /** The chunks as they are stored. */
  readonly storedChunks?: StoredChunks;
  /** The number of rows that are faster to read together, in reused memory, than chunk by chunk. */
  readonly rowsAtOnce?: number;
  /** Bytes of one row while it is read, if they do not follow from type and shape. */
  readonly rowBytes?: number;
}

/**
 * Reads the values in a box of a matrix in chunks, whose values have one fixed size. It visits chunk by chunk, each
 * decoded once, in any order. Values that are never visited are zero in all bits.
 */
export type ReadBoxChunks = (box: MatrixBox, visit: (block: BoxChunk) => void, options?: ReadOptions) => Promise<void>;

/** A rectangular part of a matrix. */
export interface MatrixBox {
  readonly rows: readonly [start: number, end: number];
  readonly cols: readonly [start: number, end: number];
}

/** The part of a box that is in one chunk, or in a gap that was never written. */
export interface BoxChunk {
  /** The position of the block's first value in the matrix. */
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
  /** Number of values between the starts of consecutive rows. */
  readonly stride: number;
  /**
   * The bytes in the form of `readInto`, from the first value to the last. They must not be changed, and are valid
   * until `visit` returns.
   */
  readonly bytes: Uint8Array;
}

/** The form of an array's values, serializable so that it can be sent to workers. */
export interface ArrayView {
  /**
   * `reversed`: the dimensions in reverse order, read in rows along the last one, which is the order of languages with
   * column-major arrays. `flat`: one dimension, where all but one have length 1.
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
 * cannot be read is an `UnreadableAttribute`, so that it does not hide the node.
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

/** Maximum number of chunks. The largest known files have 10^7; more chunks indicate a malicious shape. */
export const MAX_CHUNKS = 2 ** 28;
