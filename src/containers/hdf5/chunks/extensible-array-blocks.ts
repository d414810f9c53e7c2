/** The blocks through which an extensible array's elements are found. Source: HDF5 File Format Specification, III.D. */

import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { openBlock, readBlocks } from "../file/metadata-blocks.js";
import { type ElementFormat, elementFormat } from "./chunk-elements.js";

export interface ArrayHeader {
  readonly address: number;
  readonly format: ElementFormat;
  /** Elements in the index block. */
  readonly inline: number;
  /** Elements of the smallest data block. */
  readonly minElements: number;
  readonly pageElements: number;
  /** Bytes of an element's number. */
  readonly offsetBytes: number;
  readonly superBlocks: number;
  /** The first super blocks do not exist as such: the index block has the addresses of their data blocks. */
  readonly directSuperBlocks: number;
  readonly directDataBlocks: number;
  /** One more than the highest element ever written. */
  readonly used: number;
  readonly indexBlock: number | null;
}

export interface IndexBlock {
  readonly address: number;
  readonly dataBlocks: readonly (number | null)[];
  /** By number; null also where there is no such block. */
  readonly superBlocks: readonly (number | null)[];
}

export interface SuperBlock {
  readonly dataBlocks: readonly (number | null)[];
  /** One bit per page of all data blocks, most significant first; empty where they have no pages. */
  readonly pageBits: Uint8Array;
}

/** Where an element lies; its data block has the elements `first` to before `first + count`. */
export interface ExtensibleArrayPlace {
  readonly superBlock: number;
  /** One more than the super block's last element. */
  readonly superEnd: number;
  /** The data block's number in its super block, and among all. */
  readonly block: number;
  readonly directBlock: number;
  readonly first: number;
  readonly count: number;
}

const CHECKSUM = 4;

/** @throws {InvalidDataError} where there is no such array, or its parameters cannot be. */
export async function readArrayHeader(
  file: Hdf5File,
  address: number,
  chunkBytes: number,
  options?: ReadOptions,
): Promise<ArrayHeader> {
  const { offsets, lengths } = file.sizes;
  const bytes = await file.read(address, 12 + 6 * lengths + offsets + CHECKSUM, options);
  const cursor = openBlock(bytes, "EAHD", address);
  const client = cursor.u8();
  const format = elementFormat(client, cursor.u8(), offsets, chunkBytes);
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
  // Data blocks that the index block leads to have no pages: nowhere would their bits be.
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

export function indexBlockBytes({ format, inline, directDataBlocks, superBlocks, directSuperBlocks }: ArrayHeader) {
  const addresses = directDataBlocks + superBlocks - directSuperBlocks;
  return 6 + format.addressBytes + inline * format.elementBytes + addresses * format.addressBytes + CHECKSUM;
}

/** @throws {InvalidDataError} where there is no such block. */
export async function readIndexBlock(
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

/** The super blocks of these numbers, none of which is null in the index block. */
export async function readSuperBlocks(
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
  // Elements of all super blocks before.
  const first = minElements * (2 ** superBlock - 1);
  return { blocks, elements, bitBytes, first };
}

/** @throws {InvalidDataError} beyond the last super block. */
export function locateElement(header: ArrayHeader, index: number): ExtensibleArrayPlace {
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
 * Passes the address of the header that a block belongs to, and, if `first` is given, the number of its first element
 * behind the inline ones.
 * @throws {InvalidDataError} where they are others.
 */
export function checkOwner(cursor: Cursor, header: ArrayHeader, first: number | null = null): void {
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
