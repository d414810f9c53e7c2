/** The chunk index for datasets whose maximum size is limited. Source: HDF5 File Format Specification, III.C. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import { type Hdf5File, openBlock } from "../file/hdf5-file.js";
import {
  type ElementArray,
  type ElementFormat,
  type ElementPage,
  type ElementPages,
  getElementFormat,
} from "./chunk-array.js";
import type { ChunkRange } from "./chunk-index.js";

const CHECKSUM = 4;
const MAX_PAGE_BITS = 31;

interface Header {
  readonly format: ElementFormat;
  readonly pageElements: number;
  /** Null if no chunk was ever written. */
  readonly data: DataBlock | null;
}

interface DataBlock {
  readonly address: number;
  /**
   * One bit per page, most significant bit first, which is set if the page was ever written. Null if the block is not
   * paged.
   */
  readonly pageBits: Uint8Array | null;
  /** The number of bytes before the elements, or before the first page. */
  readonly prefix: number;
}

export class FixedArray implements ElementArray {
  readonly #file: Hdf5File;
  readonly #address: number;
  readonly #total: number;
  readonly #chunkBytes: number;
  #header: Header | undefined;

  /** @param total the number of chunks in the dataset's maximum shape. A valid array has this many elements. */
  constructor(file: Hdf5File, address: number, total: number, chunkBytes: number) {
    this.#file = file;
    this.#address = address;
    this.#total = total;
    this.#chunkBytes = chunkBytes;
  }

  async end(): Promise<number> {
    return this.#total;
  }

  async locate(runs: readonly ChunkRange[], options?: ReadOptions): Promise<ElementPages> {
    this.#header ??= await this.#readHeader(options);
    const { format, data, pageElements } = this.#header;
    if (data === null) return { format, pages: [] };
    if (data.pageBits === null) return { format, pages: [this.#wholeBlock(data, format)] };
    const pages: ElementPage[] = [];
    let next = 0;
    for (const run of runs) {
      const last = Math.floor((run.end - 1) / pageElements);
      for (let page = Math.max(next, Math.floor(run.start / pageElements)); page <= last; page++) {
        if (data.pageBits[page >> 3] & (0x80 >> (page & 7))) pages.push(this.#page(data, page, pageElements, format));
      }
      next = Math.max(next, last + 1);
    }
    return { format, pages };
  }

  #wholeBlock({ address, prefix }: DataBlock, { elementBytes }: ElementFormat): ElementPage {
    const count = this.#total;
    const length = prefix + count * elementBytes + CHECKSUM;
    const check = (bytes: Uint8Array) => this.#checkDataBlock(bytes, address);
    return { first: 0, count, address, length, prefix, check };
  }

  #page({ address, prefix }: DataBlock, page: number, pageElements: number, { elementBytes }: ElementFormat) {
    const first = page * pageElements;
    const count = Math.min(pageElements, this.#total - first);
    const at = address + prefix + page * (pageElements * elementBytes + CHECKSUM);
    const check = (bytes: Uint8Array) => verifyChecksum(bytes, `page of a FADB block at ${at}`);
    return { first, count, address: at, length: count * elementBytes + CHECKSUM, prefix: 0, check };
  }

  async #readHeader(options?: ReadOptions): Promise<Header> {
    const { offsets, lengths } = this.#file.sizes;
    const bytes = await this.#file.read(this.#address, 8 + lengths + offsets + CHECKSUM, options);
    const cursor = openBlock(bytes, "FAHD", this.#address);
    const client = cursor.u8();
    const format = getElementFormat(client, cursor.u8(), offsets, this.#chunkBytes);
    const pageBits = cursor.u8();
    if (pageBits > MAX_PAGE_BITS) throw new InvalidDataError(`fixed array has pages of 2^${pageBits} elements`);
    const total = cursor.uint(lengths);
    if (total !== this.#total) {
      throw new InvalidDataError(`fixed array has ${total} elements for ${this.#total} chunks`);
    }
    const address = cursor.optional(offsets);
    const pageElements = 2 ** pageBits;
    if (address === null) return { format, pageElements, data: null };
    return { format, pageElements, data: await this.#readDataBlock(address, pageElements, options) };
  }

  async #readDataBlock(address: number, pageElements: number, options?: ReadOptions): Promise<DataBlock> {
    const prefix = 6 + this.#file.sizes.offsets;
    if (this.#total <= pageElements) return { address, pageBits: null, prefix };
    const bitBytes = Math.ceil(Math.ceil(this.#total / pageElements) / 8);
    const bytes = await this.#file.read(address, prefix + bitBytes + CHECKSUM, options);
    this.#checkDataBlock(bytes, address);
    return { address, pageBits: bytes.slice(prefix, prefix + bitBytes), prefix: prefix + bitBytes + CHECKSUM };
  }

  #checkDataBlock(bytes: Uint8Array, address: number): void {
    const cursor = openBlock(bytes, "FADB", address);
    cursor.skip(1);
    const owner = cursor.uint(this.#file.sizes.offsets);
    if (owner !== this.#address) {
      throw new InvalidDataError(`FADB block at ${address} belongs to the array at ${owner}, not ${this.#address}`);
    }
  }
}
