/** Objects too large for the blocks of a fractal heap, each at an address of its own. Source: as fractal-heap.ts. */

import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { treeRecords } from "../file/version-2-tree.js";
import type { FractalHeapHeader } from "./fractal-heap-header.js";

/** Type of the tree of objects whose ids are numbers. */
const BY_NUMBER = 1;

const MAX_NUMBER_BYTES = 8;

interface Extent {
  readonly address: number;
  readonly length: number;
}

export class HugeObjects {
  readonly #file: Hdf5File;
  readonly #header: FractalHeapHeader;
  #byNumber: Promise<Map<number, Extent>> | undefined;

  constructor(file: Hdf5File, header: FractalHeapHeader) {
    this.#file = file;
    this.#header = header;
  }

  /**
   * @param id behind its first byte: address and length where there is room for them, else a number that a tree finds.
   * @throws {InvalidDataError} where there is no such object, or it lies outside the file.
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
    for await (const record of treeRecords(this.#file, tree, BY_NUMBER, options)) {
      const cursor = new Cursor(record, "large object");
      const extent = { address: cursor.uint(offsets), length: cursor.uint(lengths) };
      found.set(cursor.uint(lengths), extent);
    }
    return found;
  }
}
