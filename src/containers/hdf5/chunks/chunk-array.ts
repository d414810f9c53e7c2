/** Finds chunks page by page in fixed and extensible array indexes. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { createDataView, isUndefinedAt, parseUnsignedAt } from "../bytes/cursor.js";
import { type Hdf5File, readBlocks } from "../file/hdf5-file.js";
import type { ChunkIndex, ChunkRange, ChunkSelection, LinearIndex, StoredChunk } from "./chunk-index.js";

/** A block of elements, for the chunks [`first`, `first + count`). */
export interface ElementPage {
  readonly first: number;
  readonly count: number;
  /** The address and length of the whole block. Its elements start `prefix` bytes after the address. */
  readonly address: number;
  readonly length: number;
  readonly prefix: number;
  /** @throws {InvalidDataError} if another block lies at this address, or the block is damaged. */
  check(bytes: Uint8Array): void;
}

export interface ElementPages {
  readonly format: ElementFormat;
  /** Ascending and disjoint pages. An element outside these pages has no chunk. */
  readonly pages: readonly ElementPage[];
}

export interface ElementArray {
  /** Returns one more than the number of the last element that may have a chunk. */
  end(options?: ReadOptions): Promise<number>;
  /** Finds the pages with elements of the ranges `runs`, which must end before `end`. */
  locate(runs: readonly ChunkRange[], options?: ReadOptions): Promise<ElementPages>;
}

/** Maximum number of elements cached after reading. Each takes 20 bytes. */
const ELEMENTS_KEPT = 1 << 18;

export class ChunkArray implements ChunkIndex {
  readonly #file: Hdf5File;
  readonly #linear: LinearIndex;
  readonly #array: ElementArray;
  readonly #kept = new Map<number, ChunkElements>();
  #keptElements = 0;

  constructor(file: Hdf5File, linear: LinearIndex, array: ElementArray) {
    this.#file = file;
    this.#linear = linear;
    this.#array = array;
  }

  async find(selection: ChunkSelection, options?: ReadOptions): Promise<StoredChunk[]> {
    const runs = this.#linear.runs(selection, await this.#array.end(options));
    if (runs.length === 0) return [];
    const located = await this.#array.locate(runs, options);
    const elements = await this.#load(located, options);
    const found: StoredChunk[] = [];
    let r = 0;
    for (const [p, page] of located.pages.entries()) {
      const pageEnd = page.first + page.count;
      while (r < runs.length && runs[r].end <= page.first) r++;
      for (let k = r; k < runs.length && runs[k].start < pageEnd; k++) {
        const low = Math.max(runs[k].start, page.first);
        const high = Math.min(runs[k].end, pageEnd);
        this.#collect(found, { elements: elements[p], first: page.first, format: located.format }, low, high);
      }
    }
    return found;
  }

  /** Adds the chunks [low, high), which must be on one page. */
  #collect(found: StoredChunk[], { elements, first, format }: LoadedPage, low: number, high: number): void {
    const { addresses, sizes, masks } = elements;
    for (let index = low; index < high; index++) {
      const i = index - first;
      if (addresses[i] < 0) continue;
      found.push({
        offset: this.#linear.offset(index),
        address: addresses[i],
        storedBytes: sizes === null ? format.chunkBytes : sizes[i],
        filterMask: masks === null ? 0 : masks[i],
      });
    }
  }

  async #load({ pages, format }: ElementPages, options?: ReadOptions): Promise<ChunkElements[]> {
    const missing = pages.filter(({ address }) => !this.#kept.has(address));
    const blocks = await readBlocks(this.#file, missing, options);
    const loaded = new Map<number, ChunkElements>();
    for (const [i, page] of missing.entries()) {
      page.check(blocks[i]);
      loaded.set(page.address, parseElements(blocks[i], page.prefix, page.count, format));
    }
    const elements = pages.map(({ address }) => loaded.get(address) ?? this.#kept.get(address) ?? NOTHING);
    for (const [address, page] of loaded) this.#keep(address, page);
    return elements;
  }

  #keep(address: number, elements: ChunkElements): void {
    if (this.#keptElements >= ELEMENTS_KEPT) {
      this.#kept.clear();
      this.#keptElements = 0;
    }
    this.#kept.set(address, elements);
    this.#keptElements += elements.addresses.length;
  }
}

const NOTHING: ChunkElements = { addresses: new Float64Array(0), sizes: null, masks: null };

export interface ElementFormat {
  readonly elementBytes: number;
  readonly addressBytes: number;
  /** The bytes of a chunk without filters. */
  readonly chunkBytes: number;
  /** True if each chunk has a separate stored size. */
  readonly filtered: boolean;
}

/** The elements of a page. The first element is chunk `first`. */
interface LoadedPage {
  readonly elements: ChunkElements;
  readonly first: number;
  readonly format: ElementFormat;
}

/** The fields of the elements, as columns. A chunk that was never written has the address -1. */
interface ChunkElements {
  readonly addresses: Float64Array;
  /** Null if no chunk has a mask and all stored chunks are exactly as long as their values. */
  readonly sizes: Float64Array | null;
  readonly masks: Uint32Array | null;
}

const MASK_BYTES = 4;

/**
 * Returns the format of elements in a chunk array.
 * @param client the client ID in the array's header: 0 for unfiltered chunks, 1 for filtered ones.
 * @throws {InvalidDataError} if elements cannot have this size.
 */
export function getElementFormat(
  client: number,
  elementBytes: number,
  addressBytes: number,
  chunkBytes: number,
): ElementFormat {
  if (client > 1) throw new InvalidDataError(`chunk index has elements of kind ${client}; 0 and 1 exist`);
  const sizeBytes = elementBytes - addressBytes - MASK_BYTES;
  if (client === 0 ? elementBytes !== addressBytes : sizeBytes < 1 || sizeBytes > 8) {
    throw new InvalidDataError(
      `chunk index has elements of ${elementBytes} bytes for addresses of ${addressBytes} bytes`,
    );
  }
  return { elementBytes, addressBytes, chunkBytes, filtered: client === 1 };
}

/**
 * Reads `count` elements starting at position `at`; they must lie within `bytes`.
 * @throws {InvalidDataError} for numbers beyond 2^53.
 */
function parseElements(bytes: Uint8Array, at: number, count: number, format: ElementFormat): ChunkElements {
  const { elementBytes, addressBytes, filtered } = format;
  const sizeBytes = elementBytes - addressBytes - MASK_BYTES;
  const addresses = new Float64Array(count);
  const sizes = filtered ? new Float64Array(count) : null;
  const masks = filtered ? new Uint32Array(count) : null;
  const view = createDataView(bytes);
  for (let i = 0, position = at; i < count; i++, position += elementBytes) {
    addresses[i] = isUndefinedAt(view, position, addressBytes) ? -1 : parseUnsignedAt(view, position, addressBytes);
    if (sizes === null || masks === null) continue;
    sizes[i] = parseUnsignedAt(view, position + addressBytes, sizeBytes);
    masks[i] = parseUnsignedAt(view, position + addressBytes + sizeBytes, MASK_BYTES);
  }
  return { addresses, sizes, masks };
}
