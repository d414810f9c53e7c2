/**
 * Blocks of BGZF (SAM specification, section 4.1): gzip members that declare their length. Therefore part of a file can
 * be read, and indices such as tabix's can point into the file.
 */

import { InvalidDataError } from "../../../model/errors.js";

/** Number of uncompressed bytes per block, as in htslib. Even incompressible blocks stay below 64 KiB. */
export const UNCOMPRESSED_BLOCK_BYTES = 0xff00;

/** The empty block at the end of a file. Readers use it to check that the file is complete. */
export const BGZF_END = Uint8Array.of(
  ...[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0x1b, 0],
  ...[3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
);

const GZIP_HEADER = 10;
const HEADER = 18;
const MOST = 2 ** 16;

/**
 * Turns a gzip member into a block.
 * @param member at most `UNCOMPRESSED_BLOCK_BYTES` bytes of text, with the shortest header.
 * @throws {InvalidDataError} if the member is too long or has another header.
 */
export function toBgzfBlock(member: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = member.length - GZIP_HEADER + HEADER;
  if (length > MOST || member[2] !== 8 || member[3] !== 0) {
    throw new InvalidDataError(
      `a gzip member of ${member.length} bytes and the flags ${member[3]} is no block of BGZF`,
    );
  }
  const block = new Uint8Array(length);
  block.set(BGZF_END.subarray(0, HEADER));
  new DataView(block.buffer).setUint16(16, length - 1, true);
  block.set(member.subarray(GZIP_HEADER), HEADER);
  return block;
}
