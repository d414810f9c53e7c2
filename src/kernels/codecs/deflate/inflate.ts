/**
 * Decompression of deflate, zlib and gzip streams. A WebAssembly kernel is used, except where the platform decompresses
 * a whole stream faster: for the first streams, for gzip (whose CRC-32 costs WebAssembly as much as the decoding), and
 * for streams too large for the shared kernel.
 */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, createSizeError, type OutputSize } from "../bounds/byte-codec.js";
import type { DeflateFormat } from "./deflate-frame.js";
import { loadInflateKernel, openInflateKernel } from "./inflate-wasm.js";

export type { DeflateFormat } from "./deflate-frame.js";

/**
 * Decompresses a stream and verifies its checksums.
 * @param target memory of `size.bytes` bytes, for an exact size: the bytes are written to it, and it is returned.
 * @throws {InvalidDataError} if the stream is truncated, corrupt, or gives fewer or more bytes than `size` allows;
 * `target` is then unchanged.
 */
export async function inflate(
  bytes: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
  target?: Uint8Array,
): Promise<Uint8Array> {
  const result = await decompressed(bytes, format, size, target);
  checkSize(result.length, size);
  if (target === undefined || target === result) return result;
  target.set(result);
  return target;
}

/**
 * Bytes that the platform decompresses first. Loading the kernel, and its first slow runs, take as long as
 * decompressing them.
 */
const COLD_BYTES = 4 * 2 ** 20;

/** Starting a stream in node:zlib takes as long as decompressing this number of bytes. */
const STREAM_BYTES = 2 ** 16;

/**
 * A stream that is larger, together with its output, gets its own memory, which is freed afterwards, because a
 * WebAssembly memory never shrinks.
 */
const KEPT_BYTES = 64 * 2 ** 20;

/** The number of bytes that the platform has decompressed so far. */
const warmUp = { bytes: 0 };

/** Decompresses a stream. It may ignore `target` and return other memory. */
async function decompressed(
  bytes: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
  target?: Uint8Array,
): Promise<Uint8Array> {
  const isKept = bytes.length + size.bytes <= KEPT_BYTES;
  const { inflate: atOnce } = platform;
  if (atOnce === null || (warmUp.bytes >= COLD_BYTES && format !== "gzip" && isKept)) {
    const kernel = await (isKept ? loadInflateKernel() : openInflateKernel());
    return kernel.inflate(bytes, format, size, target);
  }
  const result = withPlatform(atOnce, bytes, format, size);
  warmUp.bytes += STREAM_BYTES + result.length;
  return result;
}

function withPlatform(
  atOnce: NonNullable<typeof platform.inflate>,
  bytes: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
): Uint8Array {
  try {
    return atOnce(bytes, format, size);
  } catch (cause) {
    if (cause instanceof RangeError) throw createSizeError("more", size);
    throw new InvalidDataError(`corrupt deflate stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
