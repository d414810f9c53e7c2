/** A collection of the global heap, and the locations of its objects. Source: HDF5 File Format Specification, III.E. */

import { InvalidDataError } from "../../../model/errors.js";
import { parseUnsignedAt } from "../bytes/cursor.js";

export interface HeapMemory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Maximum bytes of a collection. `ObjectList` cannot represent positions in larger collections. */
export const MAX_COLLECTION_BYTES = 2 ** 32 - 1;

/** Positions and sizes of the objects of many collections, one collection after the other. */
export class ObjectList {
  starts: Uint32Array = new Uint32Array(0);
  sizes: Uint32Array = new Uint32Array(0);
  count = 0;

  reserve(more: number): void {
    const needed = this.count + more;
    if (needed <= this.starts.length) return;
    this.starts = grown(this.starts, needed);
    this.sizes = grown(this.sizes, needed);
  }
}

function grown(values: Uint32Array, needed: number): Uint32Array {
  const more = new Uint32Array(Math.max(needed, 2 * values.length));
  more.set(values);
  return more;
}

/** A fetched collection. Its objects are located when the first of them is requested. */
export interface Collection {
  readonly address: number;
  readonly memory: HeapMemory;
  /** Start of the collection in `memory`, and its size in bytes, header included. */
  readonly start: number;
  readonly size: number;
  /** True if the collection is cached for later calls. Its objects then have a separate list. */
  readonly isShared: boolean;
  objects: CollectionObjects | null;
}

export interface CollectionObjects {
  readonly list: ObjectList;
  /** The number of the collection's first object in the list, and the number of its objects. */
  readonly first: number;
  readonly count: number;
  /**
   * Positions of object indices in the list; null where the indices are 1, 2, 3 …, which holds until an object is
   * freed.
   */
  readonly byIndex: ReadonlyMap<number, number> | null;
}

const SIGNATURE = 0x47434f4c;

/**
 * Reads the size of the collection at `start` of `view` from its header.
 * @param address the collection's address in the file.
 * @param lengths bytes of a length in this file.
 * @throws {InvalidDataError} where there is no collection.
 */
export function parseCollectionSize(view: DataView, start: number, address: number, lengths: number): number {
  const here = view.byteLength - start;
  if (here < 8 + lengths) {
    throw new InvalidDataError(`heap at ${address} needs ${8 + lengths} bytes, but ${here} are left`);
  }
  if (view.getUint32(start) !== SIGNATURE || view.getUint8(start + 4) !== 1) {
    throw new InvalidDataError(`there is no heap at address ${address}`);
  }
  const size = parseUnsignedAt(view, start + 8, lengths, "heap");
  if (size < 8 + lengths) throw new InvalidDataError(`heap at ${address} has a size of ${size} bytes`);
  return size;
}

/**
 * Adds a collection's objects to `list`.
 * @param list the list to which the objects are added.
 * @param lengths bytes of a length in this file.
 * @throws {InvalidDataError} where an object is longer than the rest of the collection.
 */
export function findObjects(collection: Collection, lengths: number, list: ObjectList): CollectionObjects {
  const { address, memory, start, size } = collection;
  const { view } = memory;
  // The collection's header and the objects' headers are padded to 8 bytes, and so are the objects.
  const headerBytes = 8 + Math.ceil(lengths / 8) * 8;
  const end = start + size;
  const first = list.count;
  // An object without bytes is only a header.
  list.reserve(Math.ceil(size / headerBytes));
  const { starts, sizes } = list;
  let next = first;
  let byIndex: Map<number, number> | null = null;
  for (let at = start + headerBytes; end - at >= headerBytes; ) {
    const index = view.getUint16(at, true);
    const length = parseUnsignedAt(view, at + 8, lengths, "heap");
    // Index 0 is the free space, which is always last.
    if (index === 0) break;
    at += headerBytes;
    if (length > end - at) {
      throw new InvalidDataError(`heap at ${address} needs ${length} more bytes, but ${end - at} are left`);
    }
    if (byIndex === null && index !== next - first + 1) byIndex = rising(first, next);
    byIndex?.set(index, next);
    starts[next] = at;
    sizes[next++] = length;
    at += Math.min(Math.ceil(length / 8) * 8, end - at);
  }
  list.count = next;
  return { list, first, count: next - first, byIndex };
}

function rising(first: number, next: number): Map<number, number> {
  const byIndex = new Map<number, number>();
  for (let at = first; at < next; at++) byIndex.set(at - first + 1, at);
  return byIndex;
}

/**
 * Finds the position in the list of the object `index`, which must hold a value of `bytes` bytes.
 * @param address the address of its collection.
 * @throws {InvalidDataError} where there is no such object, or it has fewer bytes.
 */
export function findHeapObject(objects: CollectionObjects, address: number, index: number, bytes: number): number {
  const { list, first, count, byIndex } = objects;
  let at: number | undefined;
  if (byIndex !== null) at = byIndex.get(index);
  else if (index >= 1 && index <= count) at = first + index - 1;
  if (at === undefined) throw new InvalidDataError(`heap at ${address} has no object ${index}`);
  if (bytes > list.sizes[at]) {
    throw new InvalidDataError(
      `value of ${bytes} bytes in object ${index} of ${list.sizes[at]} bytes, heap ${address}`,
    );
  }
  return at;
}
