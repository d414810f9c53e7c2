/**
 * The chunk index of datasets with one unlimited dimension: blocks that grow with the array, the first ones found
 * through the index block, the others through super blocks. Source: HDF5 File Format Specification, III.D.
 */

import type { ReadOptions } from "../../../sources/source.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { openBlock } from "../file/metadata-blocks.js";
import type { ElementArray, ElementPage, ElementPages } from "./chunk-array.js";
import {
  type ArrayHeader,
  checkOwner,
  type IndexBlock,
  indexBlockBytes,
  locateElement,
  readArrayHeader,
  readIndexBlock,
  readSuperBlocks,
  type SuperBlock,
} from "./extensible-array-blocks.js";
import type { Run } from "./linear-index.js";

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

  async locate(runs: readonly Run[], options?: ReadOptions): Promise<ElementPages> {
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

  /** Adds the page that has element `at`, if it was ever written. @returns the first element behind what was looked at. */
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
    // In blocks that the index block leads to, libhdf5 writes another number than that of the first element.
    const number = above === null ? null : first - inline;
    const check = (bytes: Uint8Array) => checkOwner(openBlock(bytes, "EADB", address), header, number);
    if (count <= pageElements) {
      const length = prefix + count * format.elementBytes + CHECKSUM;
      pages.push({ first, count, address, length, prefix, check });
      return first + count;
    }
    const page = Math.floor((at - first) / pageElements);
    const pageFirst = first + page * pageElements;
    // The bits of all pages of a super block are one string, whatever room each block's share was given.
    const bit = block * (count / pageElements) + page;
    if (above === null || !(above.pageBits[bit >> 3] & (0x80 >> (bit & 7)))) return pageFirst + pageElements;
    const length = pageElements * format.elementBytes + CHECKSUM;
    const pageAddress = address + prefix + CHECKSUM + page * length;
    // What stands before the pages, checked like a page without elements.
    if ((pages.at(-1)?.first ?? -1) < first) {
      pages.push({ first, count: 0, address, length: prefix + CHECKSUM, prefix, check });
    }
    const checkPage = (bytes: Uint8Array) => verifyChecksum(bytes, `page of an EADB block at ${pageAddress}`);
    pages.push({ first: pageFirst, count: pageElements, address: pageAddress, length, prefix: 0, check: checkPage });
    return pageFirst + pageElements;
  }
}
