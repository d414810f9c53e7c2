/**
 * The blocks of a fractal heap, which store its small objects. Direct blocks contain the objects' bytes, and indirect
 * blocks contain the addresses of other blocks. Source: HDF5 File Format Specification, III.G.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "../file/hdf5-file.js";

interface DirectBlock {
  readonly bytes: Uint8Array;
  /** The block's start in the heap's address space, including the prefix. */
  readonly start: number;
}

/** The addresses of the blocks in a table; null for a block that was never created. */
type IndirectBlock = readonly (number | null)[];

/** Reads each block once, and caches it. */
export class ManagedBlocks {
  readonly #file: Hdf5File;
  readonly #header: FractalHeapHeader;
  readonly #direct = new Map<number, DirectBlock>();
  readonly #indirect = new Map<number, IndirectBlock>();
  #total = 0;

  constructor(file: Hdf5File, header: FractalHeapHeader) {
    this.#file = file;
    this.#header = header;
  }

  /**
   * Reads the `length` bytes at `offset` in the heap.
   * @throws {InvalidDataError} if no block holds them.
   */
  async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    const { address, maxManagedBytes } = this.#header;
    if (length === 0 || length > maxManagedBytes) {
      throw new InvalidDataError(`object of ${length} bytes in the heap at ${address}, made for ${maxManagedBytes}`);
    }
    const block = await this.#findBlock(offset, options);
    const from = offset - block.start;
    // Offsets also count the block's own prefix.
    if (from < this.#prefixBytes() || from + length > block.bytes.length) {
      throw new InvalidDataError(
        `object of ${length} bytes at ${from} of a block of ${block.bytes.length}, heap at ${address}`,
      );
    }
    return block.bytes.subarray(from, from + length);
  }

  #prefixBytes(): number {
    const { offsetBytes, checksummed } = this.#header;
    return 5 + this.#file.sizes.offsets + offsetBytes + (checksummed ? 4 : 0);
  }

  async #findBlock(offset: number, options?: ReadOptions): Promise<DirectBlock> {
    const { address: heap, table, root, rootRows } = this.#header;
    const absent = () => new InvalidDataError(`offset ${offset} lies in no block of the heap at ${heap}`);
    if (root === null) throw absent();
    if (rootRows === 0) {
      if (offset >= table.startBytes) throw absent();
      return await this.#directBlock(root, 0, table.startBytes, options);
    }
    let address = root;
    let rows = rootRows;
    let start = 0;
    // Each table covers one block of the previous table, so it has fewer rows.
    while (true) {
      const entry = findEntry(table, offset - start);
      if (entry.row >= rows) throw absent();
      const child = (await this.#indirectBlock(address, start, rows, options))[entry.index];
      if (child === null) throw absent();
      start += entry.start;
      if (entry.row < directRows(table)) return await this.#directBlock(child, start, entry.bytes, options);
      address = child;
      rows = rowsFor(table, entry.bytes);
    }
  }

  async #directBlock(address: number, start: number, length: number, options?: ReadOptions): Promise<DirectBlock> {
    const known = this.#direct.get(address);
    if (known?.start === start) return known;
    const what = `direct heap block at ${address}`;
    const bytes = await this.#readBlock(address, length, options);
    const { position } = this.#checkPrefix(bytes, "FHDB", start, what);
    if (this.#header.checksummed) verifyBlock(bytes, position, what);
    const block = { bytes, start };
    this.#direct.set(address, block);
    return block;
  }

  async #indirectBlock(address: number, start: number, rows: number, options?: ReadOptions): Promise<IndirectBlock> {
    // A block's start identifies its table: there is no further table below the first rows of a table, so no two tables
    // have the same start.
    const known = this.#indirect.get(start);
    if (known !== undefined) return known;
    const { offsets } = this.#file.sizes;
    const { table, offsetBytes } = this.#header;
    const what = `indirect heap block at ${address}`;
    const entries = rows * table.width;
    const bytes = await this.#readBlock(address, 9 + offsets + offsetBytes + entries * offsets, options);
    const cursor = this.#checkPrefix(bytes, "FHIB", start, what);
    verifyChecksum(bytes, what);
    const children: (number | null)[] = [];
    for (let i = 0; i < entries; i++) children.push(cursor.optional(offsets));
    this.#indirect.set(start, children);
    return children;
  }

  async #readBlock(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    options?.signal?.throwIfAborted();
    this.#total += length;
    // Blocks overlap only in a file crafted to exhaust memory.
    if (this.#total > this.#file.size) {
      throw new InvalidDataError(`heap blocks of ${this.#total} bytes and more in a file of ${this.#file.size}`);
    }
    return await this.#file.read(address, length, options);
  }

  /**
   * Checks a prefix. Returns a cursor placed after the signature, the version, the heap's address and the block's
   * offset.
   */
  #checkPrefix(bytes: Uint8Array, signature: string, start: number, what: string): Cursor {
    const cursor = new Cursor(bytes, what);
    if (String.fromCharCode(...cursor.take(4)) !== signature) throw new InvalidDataError(`${what} is not there`);
    const version = cursor.u8();
    if (version !== 0) throw new InvalidDataError(`${what} has version ${version}; only 0 exists`);
    const heap = cursor.uint(this.#file.sizes.offsets);
    if (heap !== this.#header.address) {
      throw new InvalidDataError(`${what} belongs to the heap at ${heap}, not to that at ${this.#header.address}`);
    }
    const stored = cursor.uint(this.#header.offsetBytes);
    if (stored !== start) throw new InvalidDataError(`${what} begins at ${stored} of its heap instead of ${start}`);
    return cursor;
  }
}

/** Verifies a direct block. Its checksum precedes its objects, and is computed with zeros in the checksum field. */
function verifyBlock(bytes: Uint8Array, position: number, what: string): void {
  const turned = new Uint8Array(bytes.length + 4);
  turned.set(bytes);
  turned.fill(0, position, position + 4);
  turned.set(bytes.subarray(position, position + 4), bytes.length);
  verifyChecksum(turned, what);
}

interface DoublingTable {
  /** Number of blocks per row; a power of two, like all sizes here. */
  readonly width: number;
  readonly startBytes: number;
  /**
   * Size of the largest direct block. Rows of larger blocks contain indirect blocks. Each indirect block has its own
   * table, which covers the same number of bytes as the block.
   */
  readonly maxDirectBytes: number;
}

interface TableEntry {
  readonly row: number;
  /** The block's number, counted across all rows. */
  readonly index: number;
  /** The start of the block, counted from the start of the table. */
  readonly start: number;
  readonly bytes: number;
}

/** Finds the block that contains byte `offset` of the table. */
function findEntry({ width, startBytes }: DoublingTable, offset: number): TableEntry {
  let row = 0;
  let rowStart = 0;
  let bytes = startBytes;
  for (let end = width * startBytes; offset >= end; end *= 2) {
    if (row > 0) bytes *= 2;
    rowStart = end;
    row++;
  }
  const column = Math.floor((offset - rowStart) / bytes);
  return { row, index: row * width + column, start: rowStart + column * bytes, bytes };
}

/** Returns the number of rows that consist of direct blocks. They precede the rows of indirect blocks. */
function directRows({ startBytes, maxDirectBytes }: DoublingTable): number {
  return Math.log2(maxDirectBytes) - Math.log2(startBytes) + 2;
}

/** Returns the number of rows in an indirect block that covers `bytes` bytes of its parent. */
function rowsFor({ width, startBytes }: DoublingTable, bytes: number): number {
  return Math.log2(bytes) - Math.log2(width * startBytes) + 1;
}

export interface FractalHeapHeader {
  /** The header's own address, which its blocks repeat. */
  readonly address: number;
  readonly idBytes: number;
  /** Size in bytes of an offset, in an id and in the blocks themselves. */
  readonly offsetBytes: number;
  /** The bytes of a length in an id. */
  readonly lengthBytes: number;
  /** True if the prefix of direct blocks ends with a checksum. */
  readonly checksummed: boolean;
  readonly maxManagedBytes: number;
  /** The address of the B-tree for huge objects. */
  readonly hugeTree: number | null;
  readonly table: DoublingTable;
  readonly root: number | null;
  /** 0 if the root is a direct block. */
  readonly rootRows: number;
}

const CHECKSUMMED = 0x02;

/** Maximum number of bits in a managed offset. */
const MAX_BITS = 64;

/**
 * @throws {InvalidDataError} if there is no fractal heap, or its sizes contradict one another.
 * @throws {UnsupportedError} if the heap's objects are stored with filters.
 */
export async function readFractalHeapHeader(
  file: Hdf5File,
  address: number,
  options?: ReadOptions,
): Promise<FractalHeapHeader> {
  const { offsets, lengths } = file.sizes;
  const what = `fractal heap at ${address}`;
  const bytes = await file.read(address, 26 + 3 * offsets + 12 * lengths, options);
  const cursor = new Cursor(bytes, what);
  if (String.fromCharCode(...cursor.take(4)) !== "FRHP") throw new InvalidDataError(`${what} is not there`);
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`${what} has version ${version}; only 0 exists`);
  const idBytes = cursor.u16();
  // Filters lengthen the header, so its checksum would come later.
  if (cursor.u16() !== 0) throw new UnsupportedError(`filters on the ${what}`);
  verifyChecksum(bytes, what);
  const flags = cursor.u8();
  const maxManagedBytes = cursor.u32();
  cursor.skip(lengths);
  const hugeTree = cursor.optional(offsets);
  // Skips the free space, sizes and counts, which only writers need.
  cursor.skip(9 * lengths + offsets);
  const width = cursor.u16();
  const startBytes = cursor.uint(lengths);
  const maxDirectBytes = cursor.uint(lengths);
  const bits = cursor.u16();
  cursor.skip(2);
  const root = cursor.optional(offsets);
  const rootRows = cursor.u16();
  const table = { width, startBytes, maxDirectBytes };
  checkTable(table, bits, rootRows, what);
  const lengthBytes = Math.min(Math.ceil(Math.log2(maxDirectBytes) / 8), bytesFor(maxManagedBytes));
  const offsetBytes = Math.ceil(bits / 8);
  if (idBytes < 1 + offsetBytes + lengthBytes) {
    throw new InvalidDataError(`${what} has ids of ${idBytes} bytes for ${offsetBytes} and ${lengthBytes} in them`);
  }
  return {
    address,
    idBytes,
    offsetBytes,
    lengthBytes,
    checksummed: (flags & CHECKSUMMED) !== 0,
    maxManagedBytes,
    hugeTree,
    table,
    root,
    rootRows,
  };
}

function checkTable(table: DoublingTable, bits: number, rootRows: number, what: string): void {
  const { width, startBytes, maxDirectBytes } = table;
  if (![width, startBytes, maxDirectBytes].every(isPowerOfTwo) || maxDirectBytes < startBytes || maxDirectBytes < 2) {
    throw new InvalidDataError(`${what} has ${width} blocks of ${startBytes} to ${maxDirectBytes} bytes in a row`);
  }
  const maxRows = bits - Math.log2(startBytes * width) + 1;
  if (bits === 0 || bits > MAX_BITS || 2 ** bits < maxDirectBytes || rootRows > maxRows) {
    throw new InvalidDataError(`${what} has ${rootRows} rows and offsets of ${bits} bits, which allow ${maxRows}`);
  }
}

function isPowerOfTwo(value: number): boolean {
  return value > 0 && Number.isInteger(Math.log2(value));
}

function bytesFor(value: number): number {
  return Math.floor(Math.log2(Math.max(1, value)) / 8) + 1;
}
