/** zstd streams: by the platform's zstd if it has one, else by a WebAssembly kernel. */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, type OutputSize } from "../bounds/byte-codec.js";
import { zstdBounds } from "./frame.js";
import { zstdKernelFor } from "./zstd-wasm.js";

/** Decodes a whole stream, which gives at most `most` bytes. It may ignore `target`. */
type ZstdDecoder = (bytes: Uint8Array, most: number, target?: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Bytes by which a stream without declared size may pass its bound: its blocks only tell an upper bound. */
const SLACK = 16 * 1024 * 1024;

/**
 * Decompresses a stream. The declared size of the frames, or an upper bound where they declare none, is compared with
 * `size` before anything is allocated.
 * @param target memory of `size.bytes` bytes, for an exact size: the bytes go there, and it is returned.
 * @throws {InvalidDataError} where the stream is truncated, corrupt, or gives fewer or more bytes than `size` says.
 * @throws {UnsupportedError} where there is neither WebAssembly nor a zstd of the platform, or no memory for the
 * stream.
 */
export function decodeZstd(bytes: Uint8Array, size: OutputSize, target?: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { declared, most, frames } = zstdBounds(bytes);
  if (declared !== null) checkSize(declared, size);
  // The declared size is allocated, so the blocks must be able to give it, at most 128 KiB each.
  if ((declared ?? 0) > most)
    throw new InvalidDataError(`the zstd stream gives at most ${most} bytes, says ${declared}`);
  if (most > 4 * size.bytes + SLACK) {
    throw new InvalidDataError(`the zstd stream can give ${most} bytes, expected ${size.bytes}`);
  }
  // node:zlib stops behind the first frame.
  const decoder = frames > 1 || platform.zstd === null ? decodeWithKernel : decodeWith(platform.zstd);
  const result = decoder(bytes, declared ?? Math.min(size.bytes, most), target);
  return result instanceof Promise
    ? result.then((decoded) => checked(decoded, size, target))
    : checked(result, size, target);
}

const decodeWithKernel: ZstdDecoder = async (bytes, most, target) => {
  const kernel = await zstdKernelFor(bytes.length + most);
  if (target === undefined) return kernel.decompress(bytes, most);
  kernel.decompressInto(bytes, target);
  return target;
};

function decodeWith({ decompress }: NonNullable<typeof platform.zstd>): ZstdDecoder {
  return (bytes, most) => {
    try {
      return decompress(bytes, most);
    } catch (cause) {
      throw new InvalidDataError(`corrupt zstd data: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  };
}

function checked(decoded: Uint8Array, size: OutputSize, target: Uint8Array | undefined): Uint8Array {
  checkSize(decoded.length, size);
  if (target === undefined || decoded === target) return decoded;
  target.set(decoded);
  return target;
}
