/**
 * The superblock, the starting point for reading an HDF5 file: the sizes of its fields, its end, its root. Source: HDF5
 * File Format Specification, II.A.
 */

import type { ByteSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";

export interface Superblock {
  readonly sizes: FieldSizes;
  /** The address of the root group's object header. */
  readonly root: number;
  /** The address of the object header with further messages about the file, or null if there is none. */
  readonly extension: number | null;
}

/** The possible sizes in bytes of an address or a length. Reading a number beyond 2^53 fails. */
const SIZES = [2, 4, 8, 16, 32];

/** Maximum size of a superblock in bytes (version 1 with 32-byte fields), up to the root's address. */
const MAX_BYTES = 28 + 4 * 32 + 2 * 32;

const OPEN_FOR_WRITING = 0x01;

/**
 * @param base the position of the signature. The superblock's own base address may be out of date, because a user block
 * can be added in front of a file later.
 * @throws {InvalidDataError} if the superblock is damaged, or the file is shorter than the superblock declares.
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
    // Skips the address of the driver's block, and the name in the root's symbol table entry.
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

/**
 * Checks the end of the file. The stored end is counted from the start of the file, using the base address at the time
 * of writing.
 */
function checkEnd(source: ByteSource, base: number, storedBase: number, storedEnd: number): void {
  const end = storedEnd - storedBase + base;
  if (end > source.size) throw new InvalidDataError(`truncated file: ${source.size} bytes instead of ${end}`);
}

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

const SMALLEST_USER_BLOCK = 512;

/** True if `source` is an HDF5 file. Reads only a few bytes, and does not load a library. */
export async function isHdf5(source: ByteSource, options?: ReadOptions): Promise<boolean> {
  return (await findSignature(source, options)) !== null;
}

/**
 * Finds the signature, to whose position all addresses in the file are relative. Returns null if there is no signature.
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
