/** Buffers of a message's body: each in memory of its own, decompressed where the message says so. */

import { decodeLz4Frame } from "../../kernels/codecs/lz4/frame.js";
import { decodeZstd } from "../../kernels/codecs/zstd/zstd.js";
import { InvalidDataError } from "../../model/errors.js";
import type { BodyCompression } from "./message.js";

/** Larger buffers no typed array of every engine holds. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * The buffer of `bytes`. Copied: values must be aligned, and apache-arrow writes corrupt streams where columns share
 * memory in another order.
 */
export async function ownBuffer(bytes: Uint8Array, compression: BodyCompression): Promise<Uint8Array> {
  if (compression === null || bytes.length === 0) return bytes.slice();
  if (bytes.length < 8) throw new InvalidDataError(`a compressed buffer has ${bytes.length} bytes`);
  const declared = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0, true);
  const packed = bytes.subarray(8);
  // Where compression would not have paid.
  if (declared === -1n) return packed.slice();
  if (declared < 0n || declared > BigInt(MAX_BYTES)) {
    throw new InvalidDataError(`a compressed buffer says that it has ${declared} bytes`);
  }
  const size = Number(declared);
  if (size === 0) return new Uint8Array(0);
  const plain =
    compression === "lz4" ? decodeLz4Frame(packed, size) : await decodeZstd(packed, { bytes: size, exact: true });
  return plain.byteOffset === 0 && plain.buffer.byteLength === plain.length ? plain : plain.slice();
}
