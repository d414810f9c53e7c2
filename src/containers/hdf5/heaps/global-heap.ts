/** The file's global heaps, which store variable-length values. Source: HDF5 File Format Specification, III.E. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { TextBuilder } from "../../../kernels/text/text-builder.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements, type VariableValues } from "../../../model/stored.js";
import { createDataView, type FieldSizes, parseUnsignedAt } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { type Datatype, isVariable, type SequenceDatatype, type VariableStringDatatype } from "../types/datatype.js";
import type { Heap } from "./heap.js";

// A collection in the global heap, and the locations of its objects. Source: HDF5 File Format Specification, III.E.

interface HeapMemory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Maximum size of a collection in bytes. `ObjectList` cannot represent positions in larger collections. */
const MAX_COLLECTION_BYTES = 2 ** 32 - 1;

/** Positions and sizes of objects in many collections, one collection after the other. */
class ObjectList {
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

/** A fetched collection. Its objects are located when one of them is first requested. */
interface Collection {
  readonly address: number;
  readonly memory: HeapMemory;
  /** The start of the collection in `memory`, and its size in bytes including the header. */
  readonly start: number;
  readonly size: number;
  /** True if the collection is cached for later calls. Its objects then have their own list. */
  readonly isShared: boolean;
  objects: CollectionObjects | null;
}

interface CollectionObjects {
  readonly list: ObjectList;
  /** The number of the collection's first object in the list, and the number of objects in the collection. */
  readonly first: number;
  readonly count: number;
  /**
   * Positions in the list by object index; null if the indices are 1, 2, 3 …, which is the case until an object is
   * freed.
   */
  readonly byIndex: ReadonlyMap<number, number> | null;
}

const SIGNATURE = 0x47434f4c;

/**
 * Reads the size of the collection at `start` in `view` from its header.
 * @param address the collection's address in the file.
 * @param lengths size in bytes of a length in this file.
 * @throws {InvalidDataError} if there is no collection.
 */
function parseCollectionSize(view: DataView, start: number, address: number, lengths: number): number {
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
 * @param lengths size in bytes of a length in this file.
 * @throws {InvalidDataError} if an object is longer than the rest of the collection.
 */
function findObjects(collection: Collection, lengths: number, list: ObjectList): CollectionObjects {
  const { address, memory, start, size } = collection;
  const { view } = memory;
  // The collection's header, the objects' headers and the objects themselves are padded to 8 bytes.
  const headerBytes = 8 + Math.ceil(lengths / 8) * 8;
  const end = start + size;
  const first = list.count;
  // An object without bytes consists only of a header.
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
 * @param address the address of the object's collection.
 * @throws {InvalidDataError} if there is no such object, or it has fewer bytes.
 */
function findHeapObject(objects: CollectionObjects, address: number, index: number, bytes: number): number {
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

/** The smallest and most common size of a collection. */
const USUAL_BYTES = 4096;

/** Maximum gap in bytes between collections that are fetched together, and maximum size of such a fetch. */
const MERGE_GAP = 1 << 16;
const MERGE_BYTES = 8 << 20;

/** Maximum number of collections that one call caches for later calls, and maximum number of bytes cached per file. */
const FEW_COLLECTIONS = 2;
const SHARED_BYTES = 1 << 18;

/** Maximum size in bytes of text for which memory is allocated in advance. */
const MAX_TEXT_AT_ONCE = 1 << 26;

/**
 * Maximum number of bytes by which all elements together may exceed the file. In every file that libhdf5 writes, each
 * element has its own bytes, except that all elements that were never written share one fill value.
 */
const MAX_SHARED = 2 ** 27;

/**
 * Collections by address. libhdf5 stores the texts of attributes in the same collections, of up to 64 KiB, that hold
 * thousands of names. The objects in each collection are located once.
 */
const shared = new WeakMap<Hdf5File, Map<number, Collection>>();

const EMPTY: DataView = new DataView(new ArrayBuffer(0));

export class GlobalHeap implements Heap {
  readonly #file: Hdf5File;
  #collections = new Map<number, Collection>();
  #objects = new ObjectList();
  #given = 0;

  constructor(file: Hdf5File) {
    this.#file = file;
  }

  /**
   * Fetches the collections that the `count` elements in `bytes` point into, for `text` and `sequence`. Collections
   * from earlier calls are dropped unless these elements need them again.
   * @throws {InvalidDataError} if a heap is damaged, or lies outside the file.
   */
  async fetch(type: Datatype, bytes: Uint8Array, count: number, options?: ReadOptions): Promise<void> {
    const before = this.#collections;
    this.#collections = new Map();
    this.#objects.count = 0;
    await this.#fetch(type, bytes, count, before, options);
  }

  async #fetch(
    type: Datatype,
    bytes: Uint8Array,
    count: number,
    before: ReadonlyMap<number, Collection>,
    options?: ReadOptions,
  ): Promise<void> {
    if (!isVariable(type)) return;
    if (type.class === "array") {
      await this.#fetch(type.base, bytes, count * countElements(type.shape), before, options);
      return;
    }
    this.#note(type, bytes, 0, type.size, count);
    await this.#load(before, options);
    for (const { sequence, offset } of sequencesIn(type, 0)) {
      for (let i = 0, at = offset; i < count; i++, at += type.size) {
        const values = this.sequence(bytes.subarray(at, at + sequence.size), sequence.base.size);
        if (values.length > 0) {
          await this.#fetch(sequence.base, values, values.length / sequence.base.size, before, options);
        }
      }
    }
  }

  #wanted = new Set<number>();

  /**
   * Records the collections that `count` elements refer to. The first element is at `start`, and the others follow
   * every `stride` bytes.
   */
  #note(type: Datatype, bytes: Uint8Array, start: number, stride: number, count: number): void {
    if (!isVariable(type)) return;
    switch (type.class) {
      case "compound":
        for (const member of type.members) this.#note(member.type, bytes, start + member.offset, stride, count);
        return;
      case "array":
        for (let at = 0; at < type.size; at += type.base.size) this.#note(type.base, bytes, start + at, stride, count);
        return;
      default:
        this.checkSize(type);
        this.#noteReferences(createDataView(bytes), start, stride, count, type.class === "reference");
    }
  }

  /** @param isBare true if no length precedes the addresses. */
  #noteReferences(view: DataView, start: number, stride: number, count: number, isBare: boolean): void {
    const { offsets } = this.#file.sizes;
    let last = 0;
    for (let i = 0, at = start; i < count; i++, at += stride) {
      if (!isBare && view.getUint32(at, true) === 0) continue;
      const address = addressAt(view, isBare ? at : at + 4, offsets);
      // Adjacent elements usually refer to the same collection.
      if (address === last || address === 0) continue;
      this.#wanted.add(address);
      last = address;
    }
  }

  async #load(before: ReadonlyMap<number, Collection>, options?: ReadOptions): Promise<void> {
    const missing: number[] = [];
    for (const address of this.#wanted) {
      if (this.#collections.has(address)) continue;
      const known = before.get(address) ?? shared.get(this.#file)?.get(address);
      if (known === undefined) missing.push(address);
      else this.#collections.set(address, known.isShared ? known : { ...known, objects: null });
    }
    this.#wanted.clear();
    const areFew = missing.length <= FEW_COLLECTIONS;
    missing.sort((a, b) => a - b);
    const { lengths } = this.#file.sizes;
    let total = 0;
    for (let i = 0; i < missing.length; ) {
      options?.signal?.throwIfAborted();
      const first = missing[i];
      let last = i;
      while (
        last + 1 < missing.length &&
        missing[last + 1] - missing[last] <= MERGE_GAP &&
        missing[last + 1] - first <= MERGE_BYTES
      ) {
        last++;
      }
      const several = memoryOf(await this.#file.readUpTo(first, missing[last] - first + USUAL_BYTES, options));
      for (; i <= last; i++) {
        const address = missing[i];
        const offset = address - first;
        const size = parseCollectionSize(several.view, offset, address, lengths);
        if (size > MAX_COLLECTION_BYTES && size <= this.#file.size) {
          throw new UnsupportedError(`heap of ${size} bytes; at most ${MAX_COLLECTION_BYTES}`);
        }
        const isHere = offset + size <= several.bytes.length;
        const memory = isHere ? several : memoryOf(await this.#file.read(address, size, options));
        total += size;
        // Collections overlap only in a file crafted to exhaust memory.
        if (total > this.#file.size) {
          throw new InvalidDataError(`heaps of ${total} bytes and more in a file of ${this.#file.size}`);
        }
        const isShared = areFew && size <= SHARED_BYTES;
        const start = isHere ? offset : 0;
        const collection: Collection = { address, memory, start, size, isShared, objects: null };
        this.#collections.set(address, collection);
        if (isShared) share(this.#file, collection);
      }
    }
  }

  /** Counts the bytes returned for all elements, because many elements may refer to the same object. */
  #give(bytes: number): void {
    this.#given += bytes;
    // Sequences are looked up twice: for the values that they point to, and for their own values.
    if (this.#given <= 2 * this.#file.size + MAX_SHARED) return;
    throw new UnsupportedError(
      `values of variable length have more than ${this.#given - bytes} bytes together, in a file of ${this.#file.size}: they share them; read fewer rows`,
    );
  }

  #collection(address: number): Collection {
    const collection = this.#collections.get(address);
    if (collection === undefined) throw new TypeError(`the heap at ${address} was not fetched`);
    return collection;
  }

  #objectsOf(collection: Collection): CollectionObjects {
    const list = collection.isShared ? new ObjectList() : this.#objects;
    collection.objects ??= findObjects(collection, this.#file.sizes.lengths, list);
    return collection.objects;
  }

  /** @throws {InvalidDataError} if the type's values do not have the size of a reference. */
  checkSize(type: Datatype): void {
    const width = (type.class === "reference" ? 4 : 8) + this.#file.sizes.offsets;
    if (type.size === width) return;
    throw new InvalidDataError(`values of variable length in ${type.size} bytes each; they have ${width}`);
  }

  /**
   * Appends the text of `count` elements of a variable-length string type, whose collections must already be fetched.
   */
  addText(elements: Uint8Array, count: number, text: TextBuilder): void {
    const view = createDataView(elements);
    const { offsets } = this.#file.sizes;
    let last = 0;
    let memory = EMPTY;
    let objects: CollectionObjects | null = null;
    for (let i = 0, at = 0; i < count; i++, at += 8 + offsets) {
      const length = view.getUint32(at, true);
      const address = addressAt(view, at + 4, offsets);
      if (length === 0 || address === 0) {
        text.addEmpty();
        continue;
      }
      if (objects === null || address !== last) {
        const collection = this.#collection(address);
        memory = collection.memory.view;
        objects = this.#objectsOf(collection);
        last = address;
      }
      const object = findHeapObject(objects, address, view.getUint32(at + 4 + offsets, true), length);
      this.#give(length);
      text.add(memory, objects.list.starts[object], length);
    }
  }

  text(elements: Uint8Array, count: number): VariableValues {
    const text = new TextBuilder(count, this.textBytes(elements, count));
    this.addText(elements, count, text);
    return text.finish();
  }

  /** Returns the number of bytes to allocate for the text of `count` elements, based on their declared lengths. */
  textBytes(elements: Uint8Array, count: number): number {
    const view = createDataView(elements);
    const width = 8 + this.#file.sizes.offsets;
    let bytes = 0;
    for (let i = 0; i < count; i++) bytes += view.getUint32(i * width, true);
    return Math.min(bytes, this.#file.size, MAX_TEXT_AT_ONCE);
  }

  sequence(element: Uint8Array, size: number): Uint8Array {
    const view = createDataView(element);
    const { offsets } = this.#file.sizes;
    const bytes = view.getUint32(0, true) * size;
    const address = addressAt(view, 4, offsets);
    if (bytes === 0 || address === 0) return new Uint8Array(0);
    this.#give(bytes);
    const collection = this.#collection(address);
    const objects = this.#objectsOf(collection);
    const start = objects.list.starts[findHeapObject(objects, address, view.getUint32(4 + offsets, true), bytes)];
    return collection.memory.bytes.subarray(start, start + bytes);
  }

  region(element: Uint8Array): Uint8Array | null {
    const view = createDataView(element);
    const { offsets } = this.#file.sizes;
    const address = addressAt(view, 0, offsets);
    if (address === 0) return null;
    const collection = this.#collection(address);
    const { list, ...found } = this.#objectsOf(collection);
    const object = findHeapObject({ list, ...found }, address, view.getUint32(offsets, true), 0);
    const start = list.starts[object];
    this.#give(list.sizes[object]);
    return collection.memory.bytes.subarray(start, start + list.sizes[object]);
  }
}

/** Yields the sequences whose items refer to heaps themselves, with the offset of each sequence in an element. */
function* sequencesIn(
  type: Datatype,
  offset: number,
): Generator<{ readonly sequence: SequenceDatatype; readonly offset: number }> {
  switch (type.class) {
    case "sequence":
      if (isVariable(type.base)) yield { sequence: type, offset };
      return;
    case "compound":
      for (const member of type.members) yield* sequencesIn(member.type, offset + member.offset);
      return;
    case "array":
      if (!isVariable(type.base)) return;
      for (let at = 0; at < type.size; at += type.base.size) yield* sequencesIn(type.base, offset + at);
      return;
    default:
      return;
  }
}

/** Caches a collection for later calls, and evicts the oldest collections. */
function share(file: Hdf5File, collection: Collection): void {
  const kept = shared.get(file) ?? new Map<number, Collection>();
  shared.set(file, kept);
  kept.set(collection.address, collection);
  let bytes = 0;
  for (const { size } of kept.values()) bytes += size;
  for (const [address, { size }] of kept) {
    if (bytes <= SHARED_BYTES) break;
    kept.delete(address);
    bytes -= size;
  }
}

function memoryOf(bytes: Uint8Array): HeapMemory {
  return { bytes, view: createDataView(bytes) };
}

/** Reads an address of `size` bytes. An address beyond 2^53 also lies past the end of every file. */
function addressAt(view: DataView, at: number, size: FieldSizes["offsets"]): number {
  if (size === 8) return view.getUint32(at, true) + 2 ** 32 * view.getUint32(at + 4, true);
  return parseUnsignedAt(view, at, size, "heap reference");
}

/** Maximum number of elements whose heaps are held in memory at a time, and maximum size of their text in bytes. */
const PIECE_ELEMENTS = 1 << 16;
const PIECE_BYTES = 1 << 24;

/**
 * Reads the text of elements of a variable-length string type.
 * @throws {InvalidDataError} if a heap is damaged or does not contain what the elements declare.
 */
export async function readHeapText(
  file: Hdf5File,
  type: VariableStringDatatype,
  elements: Uint8Array,
  options?: ReadOptions,
): Promise<VariableValues> {
  const count = elements.length / type.size;
  const heap = new GlobalHeap(file);
  heap.checkSize(type);
  const text = new TextBuilder(count, heap.textBytes(elements, count));
  const lengths = createDataView(elements);
  for (let done = 0; done < count; ) {
    let end = done;
    let bytes = 0;
    do bytes += lengths.getUint32(end++ * type.size, true);
    while (end < count && end - done < PIECE_ELEMENTS && bytes < PIECE_BYTES);
    const piece = elements.subarray(done * type.size, end * type.size);
    await heap.fetch(type, piece, end - done, options);
    heap.addText(piece, end - done, text);
    done = end;
  }
  return text.finish();
}
