/**
 * Blocks of BGZF (SAM specification, section 4.1): gzip members that say how long they are, so that a part of a file can
 * be read, and that indices such as tabix's can point into.
 */

import { InvalidDataError } from "../../../model/errors.js";

/** Bytes of text in a block, as htslib cuts them: also what does not compress stays below 64 KiB. */
export const BLOCK_TEXT = 0xff00;

/** An empty block, by which readers know that the file is whole. */
export const BGZF_END = Uint8Array.of(
  ...[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0x1b, 0],
  ...[3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
);

const GZIP_HEADER = 10;
const HEADER = 18;
const MOST = 2 ** 16;

/**
 * The block that holds what `member` does.
 * @param member of at most `BLOCK_TEXT` bytes of text, with the shortest header.
 * @throws {InvalidDataError} where it is too long, or has another header.
 */
export function bgzfBlock(member: Uint8Array): Uint8Array<ArrayBuffer> {
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
