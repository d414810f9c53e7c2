/** Where an HDF5 file begins: its signature stands at 0, or behind a user block of 512 bytes or a doubling of it. */

import type { ByteSource, ReadOptions } from "../../../sources/source.js";

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
