import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, type OutputSize } from "../bounds/output-size.js";
import { decodeLz4Block } from "./lz4.js";

/** No LZ4 block gives more bytes for one. */
const MAX_RATIO = 255;

/**
 * numcodecs' lz4: the decoded size (u32, little-endian), then one LZ4 block.
 * @throws {InvalidDataError} where it is truncated or corrupt, or its size is not what `size` says.
 */
export function decodeSizedLz4(bytes: Uint8Array, size: OutputSize): Uint8Array {
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
