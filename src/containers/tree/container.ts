/**
 * The one interface of all containers: a tree of groups and arrays with attributes. It knows nothing of cells, genes
 * or Arrow, so that a format that exists in several containers is read by one reader.
 */

import type { ContainerKind } from "../../model/dataset.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { ReadOptions, SourcePlan } from "../../sources/source.js";

/** An opened file or store. */
export interface Container {
  readonly kind: ContainerKind;
  /** What errors call the file or store. */
  readonly name: string;
  readonly root: Group;
  /** What stands before an HDF5 file's own bytes; absent where nothing does. */
  readonly userBlock?: Uint8Array;
  /**
   * The node an object reference points at.
   * @throws {InvalidDataError} where it points at nothing.
   */
  dereference(reference: Reference): Promise<Node>;
  /**
   * The same where it is an array whose values are few, and all of it at hand without reading; else null.
   * @throws as `dereference`, but without the source and the element.
   */
  dereferenceInMemory?(reference: Reference): StoredArray | null;
  close(): Promise<void>;
}

/** The plans of stored arrays, by container: each container declares its own form here, so that this file knows none. */
export interface ArrayPlans {}

/** A stored array as plain data: enough to open it again elsewhere, in a worker (`../open/array-plan.ts`). */
export type ArrayPlan = {
  [Container in keyof ArrayPlans]: {
    readonly source: SourcePlan;
    readonly container: Container;
    readonly array: ArrayPlans[Container];
  };
}[keyof ArrayPlans];

export type Node = Group | StoredArray;

interface NodeBase {
  /** Absolute path without the leading slash; `""` is the root. */
  readonly path: string;
  /** Equal for two nodes that are the same stored object, whatever links led there. */
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

export interface Group extends NodeBase {
  readonly kind: "group";
  /**
   * Of a list of R: what its elements are called there, in the order of its keys; null where it names none. Absent or null
   * for everything else.
   */
  readonly elementNames?: readonly (string | null)[] | null;
  /**
   * Names of the children, sorted by code point, or of a list in its own order. Links that lead nowhere are listed: opening
   * them fails.
   */
  keys(options?: ReadOptions): Promise<readonly string[]>;
  /**
   * The child of that name. `name` is one path segment, taken as it is (`..`, `%` and `#` mean nothing).
   * @throws {NotFoundError} where there is none, or a link leads to nothing.
   * @throws {UnsupportedError} for external links, external storage, virtual datasets of other files, links out of the store.
   */
  open(name: string, options?: ReadOptions): Promise<Node>;
  /**
   * The attributes with their stored types and shapes, each as an array, opened when it is asked for; they throw what
   * cannot be read of it. Absent where attributes have no types of their own.
   */
  openAttributes?(options?: ReadOptions): Promise<ReadonlyMap<string, () => Promise<StoredArray>>>;
}

export interface StoredArray extends NodeBase {
  readonly kind: "array";
  readonly type: StoredType;
  /** `[]` for a scalar, null for a null dataspace (no value at all). */
  readonly shape: readonly number[] | null;
  /** The shape of the smallest unit that is decoded at once; null where any range costs only itself. */
  readonly chunks: readonly number[] | null;
  /** Enough to open it again in a worker; absent where it cannot be opened there. */
  readonly plan?: ArrayPlan;
  /**
   * Rows [start, end) along the first dimension, in C order (a scalar: 0, 1).
   * @throws {UnsupportedError} before any value is returned, where a filter, codec or type is not available.
   * @throws {InvalidDataError} where the stored bytes do not give these values.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<StoredValues>;
  /**
   * As `read`, into memory of the caller, which may lie anywhere and be used again: `target` has exactly the bytes of
   * these values, little-endian (`bool` as one byte, complex as two floats). Absent where the values are not of one
   * fixed size, or the container has nothing faster than `read`.
   */
  readInto?(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /** What few arrays can do; absent where it is nothing. */
  readonly capabilities?: Capabilities;
}

/**
 * What few arrays can do, or tell of their reads, by name. A container whose arrays alone have a capability declares it
 * beside them (`../bp128/packed-integers.ts`), so that this file knows none.
 */
export interface Capabilities {
  /** All values, where they are in memory already and few; not to be changed. */
  readonly inMemory?: () => StoredValues;
  /**
   * The same values in another form.
   * @throws {UnsupportedError} where these values have no such form.
   */
  readonly view?: (view: ArrayView) => StoredArray;
  readonly blocks?: ReadBlocks;
  /** So many rows are read in less time than one chunk of them after another, in memory that is used again. */
  readonly rowsAtOnce?: number;
  /** Bytes of one row while it is read, where type and shape do not tell. */
  readonly rowBytes?: number;
}

/**
 * Of a matrix in chunks, whose values have one fixed size: what lies in the box, chunk by chunk, each decoded once, in
 * any order. What is never visited is zero in all bits.
 */
export type ReadBlocks = (box: MatrixBox, visit: (block: MatrixBlock) => void, options?: ReadOptions) => Promise<void>;

/** A part of a matrix: from a position to before another one, along each dimension. */
export interface MatrixBox {
  readonly rows: readonly [start: number, end: number];
  readonly cols: readonly [start: number, end: number];
}

/** What a box has of one chunk, or of nothing that was ever written. */
export interface MatrixBlock {
  /** Where its first value stands in the matrix. */
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
  /** Rows begin so many values after each other. */
  readonly stride: number;
  /** As `readInto` gives them, from the first value to the last. To be read only, and until `visit` returns. */
  readonly bytes: Uint8Array;
}

/** Plain data: it travels to workers. */
export interface ArrayView {
  /**
   * `reversed`: the dimensions in reverse order, read in rows along the last one, as languages with column-major arrays
   * have them. `flat`: one dimension, where all but one have length 1.
   */
  readonly form: "reversed" | "flat";
  /** Bytes as booleans. */
  readonly bool: boolean;
}

/** Opaque; only the container that made it can resolve it. */
export interface Reference {
  readonly kind: "reference";
  readonly bytes: Uint8Array;
}

/**
 * An attribute's value. HDF5: scalars as such, arrays as (nested) lists, integers beyond 2^53 as bigint, enum
 * {FALSE, TRUE} as boolean, a null dataspace as null. Zarr: the JSON value, integers beyond 2^53 as bigint.
 * What cannot be read is an `UnreadableAttribute`, so that it does not hide the node.
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

/** More chunks than any real file has (10^7 seen): a sign of a hostile shape. */
export const MAX_CHUNKS = 2 ** 28;

/** Compares names by code point: UTF-16 has another order where surrogates meet U+E000 to U+FFFF. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}
