/** Decodes zstd streams with the platform's zstd, or else with a WebAssembly kernel. */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, type OutputSize } from "../bounds/byte-codec.js";
import { pickZstdKernel } from "./zstd-wasm.js";

/** Decodes a whole stream of at most `most` decoded bytes. It may ignore `target`. */
type ZstdDecoder = (bytes: Uint8Array, most: number, target?: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/**
 * Bytes by which a stream without a declared size may exceed its limit. The blocks of such a stream only provide an
 * upper bound.
 */
const SLACK = 16 * 1024 * 1024;

/**
 * Decompresses a stream. Before anything is allocated, `size` is compared with the declared size of the frames, or with
 * an upper bound if they declare no size.
 * @param target memory of `size.bytes` bytes if the size is exact; the bytes are written to it, and it is returned.
 * @throws {InvalidDataError} if the stream is truncated, corrupt, or decodes to fewer or more bytes than `size` allows.
 * @throws {UnsupportedError} if there is not enough memory.
 * @throws {MissingDependencyError} if there is neither WebAssembly nor a zstd in the platform.
 */
export function decodeZstd(bytes: Uint8Array, size: OutputSize, target?: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { declared, most, frames } = parseZstdBounds(bytes);
  if (declared !== null) checkSize(declared, size);
  // The declared size is allocated, so it must not exceed the capacity of the blocks, at most 128 KiB each.
  if ((declared ?? 0) > most)
    throw new InvalidDataError(`the zstd stream gives at most ${most} bytes, says ${declared}`);
  if (most > 4 * size.bytes + SLACK) {
    throw new InvalidDataError(`the zstd stream can give ${most} bytes, expected ${size.bytes}`);
  }
  // node:zlib stops after the first frame.
  const decoder = frames > 1 || platform.zstd === null ? decodeWithKernel : decodeWith(platform.zstd);
  const result = decoder(bytes, declared ?? Math.min(size.bytes, most), target);
  return result instanceof Promise
    ? result.then((decoded) => checked(decoded, size, target))
    : checked(result, size, target);
}

const decodeWithKernel: ZstdDecoder = async (bytes, most, target) => {
  const kernel = await pickZstdKernel(bytes.length + most);
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

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const MAX_BLOCK = 128 * 1024;

/**
 * Reads the size of a zstd stream without decompressing it (RFC 8878, 3.1.1). `declared` is the sum of the content
 * sizes of its frames, null if a frame has no content size; `most` is an upper bound from the headers of its blocks;
 * `frames` counts all frames, including skippable ones.
 * @throws {InvalidDataError} if the bytes are not a zstd stream, or truncated.
 */
function parseZstdBounds(bytes: Uint8Array): { declared: number | null; most: number; frames: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let declared: number | null = 0;
  let most = 0;
  let frames = 0;
  let at = 0;
  const need = (end: number) => {
    if (end > bytes.length) throw new InvalidDataError(`truncated zstd stream: ${bytes.length} bytes, needs ${end}`);
  };
  do {
    need(at + 5);
    frames++;
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      need(at + 8);
      at += 8 + view.getUint32(at + 4, true);
      need(at);
      continue;
    }
    if (magic !== FRAME) throw new InvalidDataError("not a zstd stream");
    const descriptor = bytes[at + 4];
    const singleSegment = (descriptor & 32) !== 0;
    const sizeCode = descriptor >> 6;
    at += 5 + (singleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3];
    const sizeBytes = sizeCode === 0 ? (singleSegment ? 1 : 0) : 2 ** sizeCode;
    need(at + sizeBytes);
    const content = contentSize(view, at, sizeBytes);
    at += sizeBytes;
    declared = content === null || declared === null ? null : declared + content;

    for (let last = false; !last; ) {
      need(at + 3);
      const header = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
      last = (header & 1) !== 0;
      const type = (header >> 1) & 3;
      const size = header >>> 3;
      if (type === 3 || size > MAX_BLOCK) throw new InvalidDataError("corrupt zstd block");
      // A raw or repeated block decodes to `size` bytes, a compressed block to at most the largest block size.
      most += type === 2 ? MAX_BLOCK : size;
      at += 3 + (type === 1 ? 1 : size);
      need(at);
    }
    if (descriptor & 4) {
      at += 4;
      need(at);
    }
  } while (at < bytes.length);
  return { declared, most, frames };
}

function contentSize(view: DataView, at: number, bytes: number): number | null {
  switch (bytes) {
    case 0:
      return null;
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
