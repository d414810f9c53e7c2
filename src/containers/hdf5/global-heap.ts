/** The file's own heaps, where values of variable length lie. Source: HDF5 File Format Specification, III.E. */

import { InvalidDataError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { product, type VariableValues } from "../../stored.js";
import { Cursor, type FieldSizes } from "./cursor.js";
import { type Datatype, isVariable } from "./datatype.js";
import type { FileBytes } from "./file-bytes.js";
import { type Heap, joinText, type Stretch } from "./heap.js";

/** No collection is smaller; most are just that. */
const USUAL_BYTES = 4096;

/** Collections that lie this close together are fetched as one, up to so many bytes. */
const MERGE_GAP = 1 << 16;
const MERGE_BYTES = 8 << 20;

interface Collection {
  readonly bytes: Uint8Array;
  /** By object index; undefined where there is no such object. */
  readonly starts: readonly (number | undefined)[];
  readonly sizes: readonly (number | undefined)[];
}

interface HeapReference {
  readonly length: number;
  readonly address: number;
  readonly index: number;
}

export class GlobalHeap implements Heap {
  readonly #file: FileBytes;
  #collections = new Map<number, Collection>();

  constructor(file: FileBytes) {
    this.#file = file;
  }

  /**
   * Fetches what the `count` elements in `bytes` point at; `text` and `sequence` find it then. What was fetched before
   * and is not needed again is forgotten.
   * @throws {InvalidDataError} where a heap is damaged, or lies outside the file.
   */
  async fetch(type: Datatype, bytes: Uint8Array, count: number, options?: ReadOptions): Promise<void> {
    const before = this.#collections;
    this.#collections = new Map();
    await this.#fetch(type, bytes, count, before, options);
  }

  async #fetch(
    type: Datatype,
    bytes: Uint8Array,
    count: number,
    before: ReadonlyMap<number, Collection>,
    options?: ReadOptions,
  ): Promise<void> {
    if (count === 0 || !isVariable(type)) return;
    if (type.class === "array") {
      await this.#fetch(type.base, bytes, count * product(type.shape), before, options);
      return;
    }
    this.#note(type, bytes, 0, type.size, count);
    await this.#load(before, options);
    if (type.class === "sequence" && isVariable(type.base)) {
      for (let i = 0; i < count; i++) {
        const values = this.sequence(bytes.subarray(i * type.size, (i + 1) * type.size), type.base.size);
        await this.#fetch(type.base, values, values.length / type.base.size, before, options);
      }
    }
  }

  #wanted = new Set<number>();

  /** Remembers which collections the `count` elements point into, that stand at `start` and every `stride` bytes on. */
  #note(type: Datatype, bytes: Uint8Array, start: number, stride: number, count: number): void {
    if (!isVariable(type)) return;
    switch (type.class) {
      case "compound":
        for (const member of type.members) this.#note(member.type, bytes, start + member.offset, stride, count);
        return;
      case "array":
        for (let at = 0; at < type.size; at += type.base.size) this.#note(type.base, bytes, start + at, stride, count);
        return;
      default: {
        const width = 8 + this.#file.sizes.offsets;
        if (type.size !== width) {
          throw new InvalidDataError(`values of variable length in ${type.size} bytes each; they have ${width}`);
        }
        const read = referenceReader(bytes, this.#file.sizes);
        for (let i = 0, at = start; i < count; i++, at += stride) {
          const { length, address } = read(at);
          if (length > 0 && address > 0) this.#wanted.add(address);
        }
      }
    }
  }

  async #load(before: ReadonlyMap<number, Collection>, options?: ReadOptions): Promise<void> {
    const missing: number[] = [];
    for (const address of this.#wanted) {
      const known = before.get(address);
      if (known !== undefined) this.#collections.set(address, known);
      else if (!this.#collections.has(address)) missing.push(address);
    }
    this.#wanted.clear();
    missing.sort((a, b) => a - b);
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
      const bytes = await this.#file.readUpTo(first, missing[last] - first + USUAL_BYTES, options);
      for (; i <= last; i++) {
        const collection = await this.#readCollection(missing[i], bytes.subarray(missing[i] - first), options);
        total += collection.bytes.length;
        // Collections do not overlap, unless somebody wants to fill the memory.
        if (total > this.#file.size) {
          throw new InvalidDataError(`heaps of ${total} bytes and more in a file of ${this.#file.size}`);
        }
        this.#collections.set(missing[i], collection);
      }
    }
  }

  /** @param start at least the beginning of the collection at `address`. */
  async #readCollection(address: number, start: Uint8Array, options?: ReadOptions): Promise<Collection> {
    const { lengths } = this.#file.sizes;
    const what = `heap at ${address}`;
    const header = new Cursor(start, what);
    if (String.fromCharCode(...header.take(4)) !== "GCOL" || header.u8() !== 1) {
      throw new InvalidDataError(`there is no heap at address ${address}`);
    }
    header.skip(3);
    const size = header.uint(lengths);
    if (size < header.position) throw new InvalidDataError(`${what} has a size of ${size} bytes`);
    const bytes = size <= start.length ? start.subarray(0, size) : await this.#file.read(address, size, options);
    // The collection's header and those of its objects are padded to 8 bytes, too.
    const headerBytes = 8 + Math.ceil(lengths / 8) * 8;
    const cursor = new Cursor(bytes, what, Math.min(headerBytes, size));
    const starts: (number | undefined)[] = [];
    const sizes: (number | undefined)[] = [];
    while (cursor.remaining >= headerBytes) {
      const index = cursor.u16();
      cursor.skip(6);
      const length = cursor.uint(lengths);
      // Index 0 is the free space, always last.
      if (index === 0) break;
      cursor.skip(headerBytes - 8 - lengths);
      starts[index] = cursor.position;
      sizes[index] = length;
      cursor.skip(Math.min(Math.ceil(length / 8) * 8, Math.max(cursor.remaining, length)));
    }
    return { bytes, starts, sizes };
  }

  #stretch({ length, address, index }: HeapReference, size: number): Stretch | null {
    if (length === 0 || address === 0) return null;
    const collection = this.#collections.get(address);
    const start = collection?.starts[index];
    const stored = collection?.sizes[index];
    if (collection === undefined || start === undefined || stored === undefined) {
      throw new InvalidDataError(`heap at ${address} has no object ${index}`);
    }
    if (length * size > stored) {
      throw new InvalidDataError(
        `value of ${length * size} bytes in object ${index} of ${stored} bytes, heap ${address}`,
      );
    }
    return { memory: collection.bytes, start, end: start + length * size };
  }

  text(elements: Uint8Array, count: number): VariableValues {
    const read = referenceReader(elements, this.#file.sizes);
    const width = 8 + this.#file.sizes.offsets;
    return joinText(count, (i) => this.#stretch(read(i * width), 1));
  }

  sequence(element: Uint8Array, size: number): Uint8Array {
    const found = this.#stretch(referenceReader(element, this.#file.sizes)(0), size);
    return found === null ? new Uint8Array(0) : found.memory.subarray(found.start, found.end);
  }
}

/** Reads length, address and object index at a position of `elements`. */
function referenceReader(elements: Uint8Array, { offsets }: FieldSizes): (at: number) => HeapReference {
  if (offsets !== 8) {
    return (at) => {
      const cursor = new Cursor(elements, "reference to a heap", at);
      return { length: cursor.u32(), address: cursor.uint(offsets), index: cursor.u32() };
    };
  }
  const view = new DataView(elements.buffer, elements.byteOffset, elements.byteLength);
  return (at) => ({
    length: view.getUint32(at, true),
    address: view.getUint32(at + 4, true) + 2 ** 32 * view.getUint32(at + 8, true),
    index: view.getUint32(at + 12, true),
  });
}
