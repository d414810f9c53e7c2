/**
 * Fractal heaps, which find objects by id. Newer files use them for the links of a large group, and for an object's
 * attributes if they are many or large. Source: HDF5 File Format Specification, III.G.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { readTreeRecords } from "../file/version-2-tree.js";
import { type FractalHeapHeader, ManagedBlocks, readFractalHeapHeader } from "./fractal-heap-blocks.js";

/** If ids have more room than this, the length of a tiny object takes 12 bits instead of 4. */
const MAX_SHORT_TINY = 16;

export class FractalHeap {
  readonly #file: Hdf5File;
  readonly #header: FractalHeapHeader;
  readonly #managed: ManagedBlocks;
  readonly #huge: HugeObjects;
  #given = 0;

  private constructor(file: Hdf5File, header: FractalHeapHeader) {
    this.#file = file;
    this.#header = header;
    this.#managed = new ManagedBlocks(file, header);
    this.#huge = new HugeObjects(file, header);
  }

  /**
   * @throws {InvalidDataError} if there is no heap at `address`, or the heap is damaged.
   * @throws {UnsupportedError} if the heap's objects are stored with filters.
   */
  static async open(file: Hdf5File, address: number, options?: ReadOptions): Promise<FractalHeap> {
    return new FractalHeap(file, await readFractalHeapHeader(file, address, options));
  }

  /** The bytes of an id. */
  get idBytes(): number {
    return this.#header.idBytes;
  }

  /**
   * Returns the object's bytes as a view that must not be changed.
   * @throws {InvalidDataError} if the id does not lead to an object, or leads to a damaged block.
   */
  async object(id: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const bytes = await this.#find(id, options);
    this.#given += bytes.length;
    // Each object has one id. Without this limit, a small file could yield any number of objects.
    if (this.#given > this.#file.size) {
      throw new InvalidDataError(
        `objects of ${this.#given} bytes and more in the heap at ${this.#header.address}, file of ${this.#file.size}`,
      );
    }
    return bytes;
  }

  async #find(id: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const { address, idBytes, offsetBytes, lengthBytes } = this.#header;
    if (id.length !== idBytes) {
      throw new InvalidDataError(`id of ${id.length} bytes for the heap at ${address}, whose ids have ${idBytes}`);
    }
    const cursor = new Cursor(id, `id in the heap at ${address}`);
    const first = cursor.u8();
    const version = first >> 6;
    if (version !== 0) throw new InvalidDataError(`id in the heap at ${address} has version ${version}; only 0 exists`);
    const type = (first >> 4) & 3;
    switch (type) {
      case 0:
        return await this.#managed.read(cursor.uint(offsetBytes), cursor.uint(lengthBytes), options);
      case 1: {
        const huge = await this.#huge.find(id.subarray(1), options);
        // The length is counted before the object is fetched, because it is just an unverified number in the file.
        if (this.#given + huge.length > this.#file.size) {
          throw new InvalidDataError(`object of ${huge.length} bytes at ${huge.address}, file of ${this.#file.size}`);
        }
        return await this.#file.read(huge.address, huge.length, options);
      }
      case 2:
        return tinyObject(cursor, first & 0x0f, idBytes);
      default:
        throw new InvalidDataError(`id in the heap at ${address} has type ${type}; 0 to 2 exist`);
    }
  }
}

/** Returns an object that is stored inside its own id. */
function tinyObject(cursor: Cursor, bits: number, idBytes: number): Uint8Array {
  const length = idBytes - 1 > MAX_SHORT_TINY + 1 ? 256 * bits + cursor.u8() : bits;
  return cursor.take(length + 1);
}

/** The type of tree for objects whose ids are numbers. */
const BY_NUMBER = 1;

const MAX_NUMBER_BYTES = 8;

interface Extent {
  readonly address: number;
  readonly length: number;
}

class HugeObjects {
  readonly #file: Hdf5File;
  readonly #header: FractalHeapHeader;
  #byNumber: Promise<Map<number, Extent>> | undefined;

  constructor(file: Hdf5File, header: FractalHeapHeader) {
    this.#file = file;
    this.#header = header;
  }

  /**
   * @param id the rest of the id after its first byte: address and length if there is room for them, otherwise a number
   * to look up in a tree.
   * @throws {InvalidDataError} if there is no such object, or it lies outside the file.
   */
  async find(id: Uint8Array, options?: ReadOptions): Promise<Extent> {
    const { offsets, lengths } = this.#file.sizes;
    const { address: heap, hugeTree } = this.#header;
    const cursor = new Cursor(id, `id in the heap at ${heap}`);
    if (id.length >= offsets + lengths) return { address: cursor.uint(offsets), length: cursor.uint(lengths) };
    if (hugeTree === null) throw new InvalidDataError(`the heap at ${heap} has no large objects`);
    this.#byNumber ??= this.#readTree(hugeTree, options);
    const number = cursor.uint(Math.min(MAX_NUMBER_BYTES, id.length));
    const found = (await this.#byNumber).get(number);
    if (found === undefined) throw new InvalidDataError(`the heap at ${heap} has no large object ${number}`);
    return found;
  }

  async #readTree(tree: number, options?: ReadOptions): Promise<Map<number, Extent>> {
    const { offsets, lengths } = this.#file.sizes;
    const found = new Map<number, Extent>();
    for await (const record of readTreeRecords(this.#file, tree, BY_NUMBER, options)) {
      const cursor = new Cursor(record, "large object");
      const extent = { address: cursor.uint(offsets), length: cursor.uint(lengths) };
      found.set(cursor.uint(lengths), extent);
    }
    return found;
  }
}
