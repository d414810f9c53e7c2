/**
 * Where an HDF5 file begins to be read: sizes of its fields, its end, its root. Source: HDF5 File Format Specification,
 * II.A.
 */

import { InvalidDataError } from "../../../model/errors.js";
import type { ByteSource, ReadOptions } from "../../../sources/source.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";

export interface Superblock {
  readonly sizes: FieldSizes;
  /** Address of the root group's object header. */
  readonly root: number;
  /** Address of the object header that holds what the superblock has no room for. */
  readonly extension: number | null;
}

/** Bytes that an address and a length may take; numbers beyond 2^53 are refused where they stand. */
const SIZES = [2, 4, 8, 16, 32];

/** The longest superblock (version 1 with fields of 32 bytes), as far as the root's address. */
const MAX_BYTES = 28 + 4 * 32 + 2 * 32;

const OPEN_FOR_WRITING = 0x01;

/**
 * @param base where the signature was found. The superblock's own base address may be out of date: a user block can be
 * put before a file later.
 * @throws {InvalidDataError} where the superblock is damaged, or the file shorter than it says.
 */
export async function readSuperblock(source: ByteSource, base: number, options?: ReadOptions): Promise<Superblock> {
  const bytes = await source.read(base, Math.min(base + MAX_BYTES, source.size), options);
  const cursor = new Cursor(bytes, "superblock", 8);
  const version = cursor.u8();
  if (version > 3) throw new InvalidDataError(`superblock has version ${version}; 0 to 3 exist`);
  if (version < 2) cursor.skip(4);
  const sizes = { offsets: cursor.u8(), lengths: cursor.u8() };
  for (const [what, size] of Object.entries(sizes)) {
    if (!SIZES.includes(size)) {
      throw new InvalidDataError(`superblock says that ${what} take ${size} bytes; only ${SIZES.join(", ")} are legal`);
    }
  }
  const { offsets } = sizes;
  if (version < 2) {
    cursor.skip(version === 0 ? 9 : 13);
    const storedBase = cursor.uint(offsets);
    cursor.skip(offsets);
    checkEnd(source, base, storedBase, cursor.uint(offsets));
    // The driver's block, and the name in the root's own symbol table entry.
    cursor.skip(2 * offsets);
    return { sizes, root: cursor.uint(offsets), extension: null };
  }
  const flags = cursor.u8();
  const storedBase = cursor.uint(offsets);
  const extension = cursor.optional(offsets);
  const end = cursor.uint(offsets);
  const root = cursor.uint(offsets);
  cursor.skip(4);
  verifyChecksum(bytes.subarray(0, cursor.position), "superblock");
  checkEnd(source, base, storedBase, end);
  if (version === 3 && flags & OPEN_FOR_WRITING) {
    throw new InvalidDataError("the file is still being written, or its writer never closed it");
  }
  return { sizes, root, extension };
}

/** The stored end counts from the start of the file, with the base address as it was when that was written. */
function checkEnd(source: ByteSource, base: number, storedBase: number, storedEnd: number): void {
  const end = storedEnd - storedBase + base;
  if (end > source.size) throw new InvalidDataError(`truncated file: ${source.size} bytes instead of ${end}`);
}

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

const SMALLEST_USER_BLOCK = 512;

/** Whether `source` is an HDF5 file. Reads a few bytes; loads no library. */
export async function isHdf5(source: ByteSource, options?: ReadOptions): Promise<boolean> {
  return (await findSignature(source, options)) !== null;
}

/**
 * The position of the signature in bytes, which all addresses of the file are relative to; null where there is none.
 * Source: HDF5 File Format Specification, II.A.
 */
export async function findSignature(source: ByteSource, options?: ReadOptions): Promise<number | null> {
  let position = 0;
  while (position + SIGNATURE.length <= source.size) {
    const found = await source.read(position, position + SIGNATURE.length, options);
    if (SIGNATURE.every((byte, i) => found[i] === byte)) return position;
    position = position === 0 ? SMALLEST_USER_BLOCK : 2 * position;
  }
  return null;
}
