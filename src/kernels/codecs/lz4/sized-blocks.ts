/** LZ4 blocks preceded by their sizes, as HDF5 and numcodecs store them. */

import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, createCodecFactory, type OutputSize } from "../bounds/byte-codec.js";
import { decodeLz4Block } from "./lz4.js";

const HEADER = 12;
/** Maximum number of bytes that one byte of an LZ4 block can decode to. */
const MAX_RATIO = 255;

/** HDF5's filter 32004. */
export const lz4Blocks = createCodecFactory(decodeLz4Blocks);

/** numcodecs' lz4. */
export const lz4 = createCodecFactory(decodeSizedLz4);

/**
 * Decodes the frame of the HDF5 filter 32004. All numbers in the frame are big-endian: decoded size (u64), bytes per
 * block (u32), then for each block its stored size (u32) and an LZ4 block. If the stored size is equal to the block's
 * size, the bytes are not compressed.
 * @throws {InvalidDataError} if the frame is truncated or corrupt, or its size does not match `size`.
 */
function decodeLz4Blocks(bytes: Uint8Array, size: OutputSize): Uint8Array {
  const { total, blockSize } = readBlockHeader(bytes, size, "LZ4");
  if (total > MAX_RATIO * bytes.length) {
    throw new InvalidDataError(`${total} bytes cannot come from an LZ4 frame of ${bytes.length}`);
  }
  const out = new Uint8Array(total);
  let at = HEADER;
  for (let done = 0; done < total; done += blockSize) {
    const block = out.subarray(done, done + blockSize);
    const stored = getSizedBlock(bytes, at, "LZ4");
    if (stored.length === block.length) block.set(stored);
    else decodeLz4Block(stored, block);
    at += 4 + stored.length;
  }
  return out;
}

/**
 * Reads the header that LZ4 and bitshuffle frames share.
 * @throws {InvalidDataError} if the frame is too short, or declares another size.
 */
export function readBlockHeader(
  bytes: Uint8Array,
  size: OutputSize,
  name: string,
): { readonly total: number; readonly blockSize: number } {
  if (bytes.length < HEADER) throw new InvalidDataError(`${name} frame of ${bytes.length} bytes has no header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const total = Number(view.getBigUint64(0));
  checkSize(total, size);
  const blockSize = view.getUint32(8);
  if (total > 0 && blockSize === 0) throw new InvalidDataError(`${name} frame has blocks of 0 bytes`);
  return { total, blockSize };
}

/**
 * Returns the bytes of the block whose length is stored at `at`.
 * @throws {InvalidDataError} if the block is cut off.
 */
export function getSizedBlock(bytes: Uint8Array, at: number, name: string): Uint8Array {
  if (at + 4 > bytes.length) throw new InvalidDataError(`${name} frame of ${bytes.length} bytes is cut off`);
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at);
  if (length > bytes.length - at - 4) {
    throw new InvalidDataError(`${name} block of ${length} bytes at byte ${at} of a frame of ${bytes.length}`);
  }
  return bytes.subarray(at + 4, at + 4 + length);
}

/**
 * Decodes numcodecs' lz4: the decoded size (u32, little-endian), then one LZ4 block.
 * @throws {InvalidDataError} if the data is truncated or corrupt, or its size does not match `size`.
 */
function decodeSizedLz4(bytes: Uint8Array, size: OutputSize): Uint8Array {
  if (bytes.length < 5) throw new InvalidDataError(`${bytes.length} bytes are no lz4 block with its size`);
  const decoded = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  checkSize(decoded, size);
  if (decoded > MAX_RATIO * bytes.length) {
    throw new InvalidDataError(`${decoded} bytes cannot come from an lz4 block of ${bytes.length}`);
  }
  const out = new Uint8Array(decoded);
  decodeLz4Block(bytes.subarray(4), out);
  return out;
}
