/**
 * The one interface of all containers: a tree of groups and arrays with attributes. It knows nothing of cells, genes or
 * Arrow, so that one reader serves a format that exists in several containers.
 */

import type { ContainerKind } from "../../model/dataset.js";
import type { FloatType, IntType, StoredType, StoredValues } from "../../model/stored.js";
import type { ReadOptions, SourcePlan } from "../../sources/source.js";
import type { StoredChunks } from "./stored-chunks.js";

/** An opened file or store. */
export interface Container {
  readonly kind: ContainerKind;
  /** The name of the file or store in errors. */
  readonly name: string;
  readonly root: Group;
  /** The bytes in front of an HDF5 file's own bytes; absent where there are none. */
  readonly userBlock?: Uint8Array;
  /**
   * Opens the node at which an object reference points.
   * @throws {InvalidDataError} where it points at nothing.
   */
  dereference(reference: Reference): Promise<Node>;
  /** The `id` of the node at which a reference points, whether it exists or not; null for a null reference. */
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
 * The plans of stored arrays, by container. Each container declares its own form here, so that this file knows none.
 */
export interface ArrayPlans {}

/** A stored array as plain data, from which a worker can open it again (`../open/array-plan.ts`). */
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
  /** The shape of the smallest unit that is decoded at once; null where any range costs only itself. */
  readonly chunks: readonly number[] | null;
  /**
   * The value of what was never written, which xarray takes for a missing one (Zarr v2); absent where there is none, and
   * in other containers.
   */
  readonly fillValue?: number | bigint;
  /** The names of the dimensions, null for one without; absent where the container keeps none beside the attributes. */
  readonly dimensionNames?: readonly (string | null)[];
  /** The plan by which a worker opens the array again; absent where it cannot. */
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
  /** The capabilities that few arrays have; absent where there are none. */
  readonly capabilities?: Capabilities;
}

/**
 * Capabilities of few arrays, and facts about their reads, by name. A container that alone has a capability declares it
 * beside its arrays (`../bp128/packed-integers.ts`), so that this file knows none.
 */
export interface Capabilities {
  /** Returns all values, if they are few and in memory already. They must not be changed. */
  readonly inMemory?: () => StoredValues;
  /**
   * Returns an array with these values in another form.
   * @throws {UnsupportedError} where these values have no such form.
   */
  readonly view?: (view: ArrayView) => StoredArray;
  readonly blocks?: ReadBlocks;
  /** Returns a compound array with these fields alone, by ascending position; null where they cannot stand alone. */
  readonly withFields?: (fields: readonly number[]) => StoredArray | null;
  /** The chunks as they are stored. */
  readonly storedChunks?: StoredChunks;
  /** The number of rows that are read faster together, in reused memory, than chunk by chunk. */
  readonly rowsAtOnce?: number;
  /** The bytes of one row while it is read, where type and shape do not tell. */
  readonly rowBytes?: number;
}

/**
 * Reads the values in a box of a matrix in chunks, whose values have one fixed size. It visits chunk by chunk, each
 * decoded once, in any order. Values that are never visited are zero in all bits.
 */
export type ReadBlocks = (box: MatrixBox, visit: (block: MatrixBlock) => void, options?: ReadOptions) => Promise<void>;

/** A part of a matrix: from a position to before another one, along each dimension. */
export interface MatrixBox {
  readonly rows: readonly [start: number, end: number];
  readonly cols: readonly [start: number, end: number];
}

/** The part of a box that lies in one chunk, or in a gap that was never written. */
export interface MatrixBlock {
  /** The place of the block's first value in the matrix. */
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
  /** The number of values between the starts of neighbouring rows. */
  readonly stride: number;
  /**
   * The bytes in the form of `readInto`, from the first value to the last. They must not be changed, and are valid
   * until `visit` returns.
   */
  readonly bytes: Uint8Array;
}

/** The form of an array's values, as plain data, which can be sent to workers. */
export interface ArrayView {
  /**
   * `reversed`: the dimensions in reverse order, read in rows along the last one, which is the order of languages with
   * column-major arrays. `flat`: one dimension, where all but one have length 1.
   */
  readonly form: "reversed" | "flat";
  /** Whether bytes are read as booleans. */
  readonly bool: boolean;
}

/** An opaque reference, which only the container that made it can resolve. */
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

/** The most chunks, more than any real file has (10^7 seen). More are a sign of a hostile shape. */
export const MAX_CHUNKS = 2 ** 28;
