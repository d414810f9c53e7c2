/** The heap for variable-length values. Source: HDF5 File Format Specification, III.E. */

import { copyBytes } from "../../../../kernels/text/copy-text.js";
import { BLOCK_BYTES, type FileSpace } from "./file-space.js";

/** Values in one array. Value i is `bytes[offsets[i] * unit … offsets[i + 1] * unit]`. */
export interface HeapValues {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  readonly unit: number;
  /**
   * True if values of length 0 also have an object. Without one, readers in C would interpret text as NULL rather than
   * as empty text.
   */
  readonly emptyObjects: boolean;
}

/** Minimum size of a collection; libhdf5 refuses smaller ones. */
const LEAST_BYTES = 4096;
const USUAL_BYTES = 65_536;

/** Minimum size in bytes for which a set of values gets separate collections. Smaller sets share a collection. */
const LARGE_BYTES = 32_768;

const HEADER_BYTES = 16;
const SIGNATURE = 0x47434f4c;

interface Collection {
  readonly address: number;
  readonly memory: CollectionMemory;
  readonly size: number;
  used: number;
  objects: number;
}

interface CollectionMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
  readonly words: Uint32Array;
}

export class GlobalHeapWriter {
  readonly #space: FileSpace;
  /** The collection for small sets of values: strings from attributes, scalars and short arrays. */
  #open: Collection | null = null;
  #nextBytes = LEAST_BYTES;
  #memory = collectionMemory(USUAL_BYTES);

  constructor(space: FileSpace) {
    this.#space = space;
  }

  /**
   * Stores the values [from, to).
   * @param elements 4 words for each value: the length, the two halves of the address, and the index in the collection.
   */
  put(values: HeapValues, from: number, to: number, elements: Uint32Array): void {
    const source = viewOf(values.bytes);
    for (let i = from; i < to; ) {
      const written = elements.subarray(4 * (i - from));
      const left = (values.offsets[to] - values.offsets[i]) * values.unit + HEADER_BYTES * (to - i);
      i =
        left < LARGE_BYTES ? this.#collect(values, source, i, to, written) : this.#own(values, source, i, to, written);
    }
  }

  /** Writes the collection that is still open. */
  close(): void {
    if (this.#open !== null) this.#seal(this.#open);
    this.#open = null;
  }

  /** Stores some of the values in a new collection of exactly the required size. */
  #own(values: HeapValues, source: DataView, from: number, to: number, elements: Uint32Array): number {
    let size = HEADER_BYTES;
    let end = from;
    for (; end < to && size < USUAL_BYTES; end++) size += objectBytes(values, end);
    // All these values are null.
    if (size === HEADER_BYTES) return end;
    const bytes = Math.max(LEAST_BYTES, size);
    const collection = this.#begin(bytes, this.#memoryOf(bytes));
    this.#fill(collection, values, source, from, end, elements);
    this.#seal(collection);
    return end;
  }

  #collect(values: HeapValues, source: DataView, from: number, to: number, elements: Uint32Array): number {
    let end = from;
    let open = this.#open;
    let used = open?.used ?? HEADER_BYTES;
    const size = open?.size ?? this.#nextBytes;
    while (end < to && used + objectBytes(values, end) <= size) used += objectBytes(values, end++);
    if (end > from) {
      if (open === null) {
        open = this.#begin(size, collectionMemory(size));
        this.#open = open;
        this.#nextBytes = Math.min(2 * size, USUAL_BYTES);
      }
      this.#fill(open, values, source, from, end, elements);
      return end;
    }
    // The first value does not fit here, and may not fit into any collection of the usual size.
    if (objectBytes(values, from) > LEAST_BYTES - HEADER_BYTES) {
      return this.#own(values, source, from, from + 1, elements);
    }
    this.close();
    return from;
  }

  #begin(size: number, memory: CollectionMemory): Collection {
    const address = this.#space.allocate(size);
    memory.bytes.fill(0, 0, size);
    memory.view.setUint32(0, SIGNATURE);
    memory.bytes[4] = 1;
    memory.words[2] = size;
    return { address, memory, size, used: HEADER_BYTES, objects: 0 };
  }

  #fill(
    collection: Collection,
    { offsets, unit, emptyObjects }: HeapValues,
    source: DataView,
    from: number,
    to: number,
    elements: Uint32Array,
  ): void {
    const { memory, address } = collection;
    const { view, words } = memory;
    const low = address % 2 ** 32;
    const high = Math.floor(address / 2 ** 32);
    let { used, objects } = collection;
    for (let i = from, word = 0; i < to; i++, word += 4) {
      const length = offsets[i + 1] - offsets[i];
      if (length === 0 && !emptyObjects) continue;
      const bytes = length * unit;
      const at = used >> 2;
      objects++;
      // Each object has one reference.
      words[at] = objects | (1 << 16);
      words[at + 2] = bytes;
      copyBytes(source, offsets[i] * unit, bytes, view, used + HEADER_BYTES);
      used += HEADER_BYTES + ((bytes + 7) & ~7);
      elements[word] = length;
      elements[word + 1] = low;
      elements[word + 2] = high;
      elements[word + 3] = objects;
    }
    collection.used = used;
    collection.objects = objects;
  }

  #seal({ address, memory, size, used }: Collection): void {
    // Free space is object 0, and its size includes its own header. If the remaining space is smaller than a header, it
    // gets no object.
    if (size - used >= HEADER_BYTES) memory.words[(used >> 2) + 2] = size - used;
    const bytes = memory.bytes.subarray(0, size);
    this.#space.place(address, bytes);
    // `place` does not copy a collection of this size, so its memory now belongs to the file.
    if (memory === this.#memory && size >= BLOCK_BYTES) this.#memory = collectionMemory(USUAL_BYTES);
  }

  #memoryOf(bytes: number): CollectionMemory {
    if (this.#memory.bytes.length < bytes) this.#memory = collectionMemory(bytes + (bytes >> 3));
    return this.#memory;
  }
}

function objectBytes({ offsets, unit, emptyObjects }: HeapValues, i: number): number {
  const length = offsets[i + 1] - offsets[i];
  return length === 0 && !emptyObjects ? 0 : HEADER_BYTES + (length * unit + 7 - ((length * unit + 7) % 8));
}

function collectionMemory(size: number): CollectionMemory {
  const bytes = new Uint8Array(Math.ceil(size / 8) * 8);
  return { bytes, view: new DataView(bytes.buffer), words: new Uint32Array(bytes.buffer) };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
