/** The header of a fractal heap, checked. Source: HDF5 File Format Specification, III.G. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "../file/file-bytes.js";
import type { DoublingTable } from "./doubling-table.js";

export interface FractalHeapHeader {
  /** Its own address, which its blocks repeat. */
  readonly address: number;
  readonly idBytes: number;
  /** Bytes of an offset in an id, and in the blocks themselves. */
  readonly offsetBytes: number;
  /** Bytes of a length in an id. */
  readonly lengthBytes: number;
  /** Whether direct blocks end their prefix with a checksum. */
  readonly checksummed: boolean;
  readonly maxManagedBytes: number;
  /** Of the tree of large objects. */
  readonly hugeTree: number | null;
  readonly table: DoublingTable;
  readonly root: number | null;
  /** 0 where the root is a direct block. */
  readonly rootRows: number;
}

const CHECKSUMMED = 0x02;

/** Managed offsets have at most so many bits. */
const MAX_BITS = 64;

/**
 * @throws {InvalidDataError} where there is no fractal heap, or its sizes contradict one another.
 * @throws {UnsupportedError} where its objects went through filters.
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
  // Filters lengthen the header, whose checksum is then not where it is looked for.
  if (cursor.u16() !== 0) throw new UnsupportedError(`filters on the ${what}`);
  verifyChecksum(bytes, what);
  const flags = cursor.u8();
  const maxManagedBytes = cursor.u32();
  cursor.skip(lengths);
  const hugeTree = cursor.optional(offsets);
  // Free space, sizes and counts, which nobody needs who only reads.
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
