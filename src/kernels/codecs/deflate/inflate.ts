/**
 * Deflate, zlib and gzip streams. The work is done by a WebAssembly kernel; by the platform where it is faster at a whole
 * stream: at first, for gzip, whose CRC-32 costs WebAssembly as much as the decoding, and for streams too large for the
 * shared kernel. Where no kernel can run, the platform does it all.
 */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, type OutputSize, wrongSize } from "../bounds/byte-codec.js";
import type { DeflateFormat } from "./deflate-frame.js";
import { inflateWithStream } from "./inflate-stream.js";
import { loadInflateKernel, openInflateKernel } from "./inflate-wasm.js";

export type { DeflateFormat } from "./deflate-frame.js";

/**
 * The decompressed bytes, checksums verified.
 * @param target of `size.bytes` bytes where that is exact: the bytes go there, and it is what is returned.
 * @throws {InvalidDataError} where the stream is truncated, corrupt, or gives fewer or more bytes than `size` says; the
 * target is then as it was.
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

/** Bytes that the platform decompresses first: to load the kernel, and to run it cold, takes as long as these. */
const COLD_BYTES = 4 * 2 ** 20;

/** What node:zlib does for a stream before its first byte takes as long as these. */
const STREAM_BYTES = 2 ** 16;

/** A memory never shrinks: streams that with their output are larger get one of their own, dropped with them. */
const KEPT_BYTES = 64 * 2 ** 20;

/** What the platform decompressed so far. */
const warmUp = { bytes: 0 };

/** It may leave `target` alone and give bytes of its own. */
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
    if (kernel !== null) return kernel.inflate(bytes, format, size, target);
  }
  if (atOnce === null) return inflateWithStream(bytes, format, size);
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
    if (cause instanceof RangeError) throw wrongSize("more", size);
    throw new InvalidDataError(`corrupt deflate stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
