/**
 * The chunk index for datasets with one unlimited dimension. Its blocks grow with the array. The index block leads to
 * the first blocks, and super blocks lead to the others. Source: HDF5 File Format Specification, III.D.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import { type Hdf5File, openBlock, readBlocks } from "../file/hdf5-file.js";
import {
  type ElementArray,
  type ElementFormat,
  type ElementPage,
  type ElementPages,
  getElementFormat,
} from "./chunk-array.js";
import type { ChunkRange } from "./chunk-index.js";

// With 4 inline elements, 16 elements in the smallest data block, and 4 pointers (D64: a data block of 64 elements):
//
//   header EAHD ──► index block EAIB ──┬── elements 0 … 3, inline
//                                      ├── addresses of D16, D32, D32, D32, D64, D64: the data blocks of super blocks
//                                      │   0 … 3 (directSuperBlocks), which are not stored themselves
//                                      └── addresses of super blocks 4, 5, … ──► EASB ──► EADB: elements or pages
//
//   super block u                 0    1    2    3    4    5    6
//   its data blocks               1    1    2    2    4    4    8    2^⌊u/2⌋
//   elements of a data block     16   32   32   64   64  128  128    minElements · 2^⌊(u+1)/2⌋
//   elements before it            0   16   48  112  240  496 1008    minElements · (2^u − 1), inline ones not counted
//
// Invariants: `locateElement` reads this table backwards. A data block of more than `pageElements` elements consists of
// a prefix and pages, each with its own checksum. The page bits of a super block form one string: bit b · (pages of a
// data block) + p stands for page p of data block b, and is 0 if the page was never written. Data blocks of the index
// block have no pages. Elements that were never written have no address. Every block contains the address of its
// header, and super blocks and their data blocks contain the number of their first element; both are checked.

const CHECKSUM = 4;

export class ExtensibleArray implements ElementArray {
  readonly #file: Hdf5File;
  readonly #address: number;
  readonly #chunkBytes: number;
  #header: ArrayHeader | undefined;
  #index: IndexBlock | undefined;
  readonly #superBlocks = new Map<number, SuperBlock>();

  constructor(file: Hdf5File, address: number, chunkBytes: number) {
    this.#file = file;
    this.#address = address;
    this.#chunkBytes = chunkBytes;
  }

  async end(options?: ReadOptions): Promise<number> {
    const { indexBlock, used } = await this.#open(options);
    return indexBlock === null ? 0 : used;
  }

  async locate(runs: readonly ChunkRange[], options?: ReadOptions): Promise<ElementPages> {
    const header = await this.#open(options);
    const { format, indexBlock } = header;
    if (indexBlock === null || runs.length === 0) return { format, pages: [] };
    this.#index ??= await readIndexBlock(this.#file, header, indexBlock, options);
    await this.#loadSuperBlocks(header, this.#index, runs[0].start, runs[runs.length - 1].end, options);
    const pages: ElementPage[] = [];
    let next = 0;
    for (const run of runs) {
      for (let at = Math.max(next, run.start); at < run.end; at = next) {
        next = this.#addPage(pages, header, this.#index, at);
      }
    }
    return { format, pages };
  }

  async #open(options?: ReadOptions): Promise<ArrayHeader> {
    this.#header ??= await readArrayHeader(this.#file, this.#address, this.#chunkBytes, options);
    return this.#header;
  }

  async #loadSuperBlocks(header: ArrayHeader, index: IndexBlock, start: number, end: number, options?: ReadOptions) {
    const missing: number[] = [];
    for (let at = Math.max(start, header.inline); at < end; ) {
      const { superBlock, superEnd } = locateElement(header, at);
      const wanted = superBlock >= header.directSuperBlocks && index.superBlocks[superBlock] !== null;
      if (wanted && !this.#superBlocks.has(superBlock)) missing.push(superBlock);
      at = superEnd;
    }
    const read = await readSuperBlocks(this.#file, header, index, missing, options);
    for (const [i, block] of read.entries()) this.#superBlocks.set(missing[i], block);
  }

  /**
   * Adds the page that contains element `at`, if the page was ever written.
   * @returns the first element after the page, or after the gap in its place.
   */
  #addPage(pages: ElementPage[], header: ArrayHeader, index: IndexBlock, at: number): number {
    const { format, inline, directSuperBlocks, offsetBytes, pageElements } = header;
    if (at < inline) {
      const prefix = 6 + format.addressBytes;
      const check = (bytes: Uint8Array) => void openBlock(bytes, "EAIB", index.address);
      pages.push({ first: 0, count: inline, address: index.address, length: indexBlockBytes(header), prefix, check });
      return inline;
    }
    const place = locateElement(header, at);
    const { superBlock, superEnd, block, first, count } = place;
    const above = superBlock < directSuperBlocks ? null : this.#superBlocks.get(superBlock);
    if (above === undefined) return superEnd;
    const address = above === null ? index.dataBlocks[place.directBlock] : above.dataBlocks[block];
    if (address === null) return first + count;
    const prefix = 6 + format.addressBytes + offsetBytes;
    // In blocks that the index block points to, libhdf5 does not write the number of the first element, but another
    // number.
    const number = above === null ? null : first - inline;
    const check = (bytes: Uint8Array) => checkOwner(openBlock(bytes, "EADB", address), header, number);
    if (count <= pageElements) {
      const length = prefix + count * format.elementBytes + CHECKSUM;
      pages.push({ first, count, address, length, prefix, check });
      return first + count;
    }
    const page = Math.floor((at - first) / pageElements);
    const pageFirst = first + page * pageElements;
    // The bits for all pages of a super block form one string, regardless of the room reserved for each block's share.
    const bit = block * (count / pageElements) + page;
    if (above === null || !(above.pageBits[bit >> 3] & (0x80 >> (bit & 7)))) return pageFirst + pageElements;
    const length = pageElements * format.elementBytes + CHECKSUM;
    const pageAddress = address + prefix + CHECKSUM + page * length;
    // The prefix before the pages is checked like a page without elements.
    if ((pages.at(-1)?.first ?? -1) < first) {
      pages.push({ first, count: 0, address, length: prefix + CHECKSUM, prefix, check });
    }
    const checkPage = (bytes: Uint8Array) => verifyChecksum(bytes, `page of an EADB block at ${pageAddress}`);
    pages.push({ first: pageFirst, count: pageElements, address: pageAddress, length, prefix: 0, check: checkPage });
    return pageFirst + pageElements;
  }
}

interface ArrayHeader {
  readonly address: number;
  readonly format: ElementFormat;
  /** The number of elements in the index block. */
  readonly inline: number;
  /** The number of elements in the smallest data block. */
  readonly minElements: number;
  readonly pageElements: number;
  /** The size in bytes of an element number. */
  readonly offsetBytes: number;
  readonly superBlocks: number;
  /**
   * The number of leading super blocks that are not stored: the index block contains the addresses of their data
   * blocks.
   */
  readonly directSuperBlocks: number;
  readonly directDataBlocks: number;
  /** One more than the number of the highest element ever written. */
  readonly used: number;
  readonly indexBlock: number | null;
}

interface IndexBlock {
  readonly address: number;
  readonly dataBlocks: readonly (number | null)[];
  /** The addresses of the super blocks, by number; null for a missing block. */
  readonly superBlocks: readonly (number | null)[];
}

interface SuperBlock {
  readonly dataBlocks: readonly (number | null)[];
  /** One bit for each page of all data blocks, most significant bit first; empty if the blocks have no pages. */
  readonly pageBits: Uint8Array;
}

/** The location of an element. Its data block contains the elements [`first`, `first + count`). */
interface ElementPlace {
  readonly superBlock: number;
  /** One more than the number of the super block's last element. */
  readonly superEnd: number;
  /** The data block's number within its super block, and among all data blocks. */
  readonly block: number;
  readonly directBlock: number;
  readonly first: number;
  readonly count: number;
}

/** @throws {InvalidDataError} if there is no array, or its parameters are invalid. */
async function readArrayHeader(
  file: Hdf5File,
  address: number,
  chunkBytes: number,
  options?: ReadOptions,
): Promise<ArrayHeader> {
  const { offsets, lengths } = file.sizes;
  const bytes = await file.read(address, 12 + 6 * lengths + offsets + CHECKSUM, options);
  const cursor = openBlock(bytes, "EAHD", address);
  const client = cursor.u8();
  const format = getElementFormat(client, cursor.u8(), offsets, chunkBytes);
  const maxBits = cursor.u8();
  const inline = cursor.u8();
  const minElements = cursor.u8();
  const minPointers = cursor.u8();
  const pageBits = cursor.u8();
  cursor.skip(4 * lengths);
  const used = cursor.uint(lengths);
  cursor.skip(lengths);
  const indexBlock = cursor.optional(offsets);
  const superBlocks = 1 + maxBits - Math.log2(minElements);
  const directSuperBlocks = 2 * Math.log2(minPointers);
  const pageElements = 2 ** pageBits;
  const whole = Number.isInteger(superBlocks) && Number.isInteger(directSuperBlocks);
  // Data blocks that the index block points to have no pages, because the index block has no bits for pages.
  const tooLarge = directSuperBlocks > 0 && minElements * minPointers > pageElements;
  if (!whole || maxBits > 64 || superBlocks < Math.max(1, directSuperBlocks) || pageBits > 31 || tooLarge) {
    throw new InvalidDataError(
      `extensible array at ${address} of 2^${maxBits} elements in blocks of ${minElements}, ${minPointers} pointers, pages of 2^${pageBits}`,
    );
  }
  const offsetBytes = Math.ceil(maxBits / 8);
  const directDataBlocks = 2 * (minPointers - 1);
  return {
    address,
    format,
    inline,
    minElements,
    pageElements,
    offsetBytes,
    superBlocks,
    directSuperBlocks,
    directDataBlocks,
    used,
    indexBlock,
  };
}

function indexBlockBytes({ format, inline, directDataBlocks, superBlocks, directSuperBlocks }: ArrayHeader) {
  const addresses = directDataBlocks + superBlocks - directSuperBlocks;
  return 6 + format.addressBytes + inline * format.elementBytes + addresses * format.addressBytes + CHECKSUM;
}

/** @throws {InvalidDataError} if there is no index block. */
async function readIndexBlock(
  file: Hdf5File,
  header: ArrayHeader,
  address: number,
  options?: ReadOptions,
): Promise<IndexBlock> {
  const bytes = await file.read(address, indexBlockBytes(header), options);
  const cursor = openBlock(bytes, "EAIB", address);
  checkOwner(cursor, header);
  cursor.skip(header.inline * header.format.elementBytes);
  const dataBlocks = readAddresses(cursor, header.directDataBlocks, header);
  const superBlocks: (number | null)[] = [];
  for (let u = 0; u < header.directSuperBlocks; u++) superBlocks.push(null);
  superBlocks.push(...readAddresses(cursor, header.superBlocks - header.directSuperBlocks, header));
  return { address, dataBlocks, superBlocks };
}

/** Reads the super blocks with these numbers. The index block must contain an address for each one. */
async function readSuperBlocks(
  file: Hdf5File,
  header: ArrayHeader,
  index: IndexBlock,
  numbers: readonly number[],
  options?: ReadOptions,
): Promise<SuperBlock[]> {
  const prefix = 6 + header.format.addressBytes + header.offsetBytes;
  const ranges = numbers.map((u) => {
    const address = index.superBlocks[u] ?? 0;
    const { blocks, bitBytes } = superBlockShape(header, u);
    return { address, length: prefix + blocks * (bitBytes + header.format.addressBytes) + CHECKSUM };
  });
  const read = await readBlocks(file, ranges, options);
  return read.map((bytes, i) => {
    const cursor = openBlock(bytes, "EASB", ranges[i].address);
    const { blocks, bitBytes, first } = superBlockShape(header, numbers[i]);
    checkOwner(cursor, header, first);
    const pageBits = cursor.take(blocks * bitBytes).slice();
    return { pageBits, dataBlocks: readAddresses(cursor, blocks, header) };
  });
}

function superBlockShape({ minElements, pageElements }: ArrayHeader, superBlock: number) {
  const blocks = 2 ** Math.floor(superBlock / 2);
  const elements = minElements * 2 ** Math.floor((superBlock + 1) / 2);
  const bitBytes = elements > pageElements ? Math.ceil(elements / pageElements / 8) : 0;
  // The number of elements in all previous super blocks.
  const first = minElements * (2 ** superBlock - 1);
  return { blocks, elements, bitBytes, first };
}

/** @throws {InvalidDataError} for an index past the last super block. */
function locateElement(header: ArrayHeader, index: number): ElementPlace {
  const { inline, minElements, superBlocks } = header;
  const behind = index - inline;
  let superBlock = 0;
  while (minElements * (2 ** (superBlock + 1) - 1) <= behind) superBlock++;
  if (superBlock >= superBlocks) {
    throw new InvalidDataError(`extensible array has no place for element ${index}`);
  }
  const { blocks, elements, first } = superBlockShape(header, superBlock);
  const block = Math.floor((behind - first) / elements);
  // Super blocks 0, 1, 2, 3 … have 1, 1, 2, 2 … data blocks.
  const blocksBefore = 2 ** Math.floor((superBlock + 1) / 2) + 2 ** Math.floor(superBlock / 2) - 2;
  return {
    superBlock,
    superEnd: inline + first + blocks * elements,
    block,
    directBlock: blocksBefore + block,
    first: inline + first + block * elements,
    count: elements,
  };
}

/**
 * Skips and checks the address of the header that owns a block. If `first` is given, also skips and checks the number
 * of the block's first element, counted after the inline elements.
 * @throws {InvalidDataError} if the block belongs to another array, or begins at another element.
 */
function checkOwner(cursor: Cursor, header: ArrayHeader, first: number | null = null): void {
  cursor.skip(1);
  const owner = cursor.uint(header.format.addressBytes);
  const stored = first === null ? null : cursor.uint(header.offsetBytes);
  if (owner !== header.address || stored !== first) {
    throw new InvalidDataError(
      `block of the extensible array at ${owner} from element ${stored ?? 0} on, expected ${header.address} and ${first ?? 0}`,
    );
  }
}

function readAddresses(cursor: Cursor, count: number, { format }: ArrayHeader): (number | null)[] {
  const addresses: (number | null)[] = [];
  for (let i = 0; i < count; i++) addresses.push(cursor.optional(format.addressBytes));
  return addresses;
}
