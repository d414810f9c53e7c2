/**
 * zstd streams. The work is done by numcodecs' WebAssembly, which runs everywhere, until an entry that has something
 * faster installs it: `node.ts` calls `installNodeZstd()` of `zstd.node.ts` once.
 */

import { InvalidDataError } from "../errors.js";
import { decodeZstdWithNumcodecs } from "./numcodecs.js";
import { type OutputSize, wrongSize } from "./output-size.js";
import { zstdBounds } from "./zstd-frame.js";

/** Decodes a whole stream; `most` bytes are the most that come out, it need not check that. */
export type ZstdDecoder = (bytes: Uint8Array, most: number) => Uint8Array | Promise<Uint8Array>;

/** Output that a stream without declared size may pass its bound by: its blocks only tell an upper bound. */
const SLACK = 16 * 1024 * 1024;

let installed: ZstdDecoder | undefined;

/** Makes `decoder` what `decodeZstd` calls. */
export function installZstd(decoder: ZstdDecoder | undefined): void {
  installed = decoder;
}

/**
 * The decompressed bytes. What the frames declare, or can give at most where they declare nothing, is compared with
 * `size` before anything is allocated.
 * @throws {InvalidDataError} where the stream is truncated, corrupt, or gives fewer or more bytes than `size` says.
 */
export function decodeZstd(bytes: Uint8Array, size: OutputSize): Uint8Array | Promise<Uint8Array> {
  const { declared, most, frames } = zstdBounds(bytes);
  if (declared !== null) check(declared, size);
  // What is declared is allocated: the blocks must be able to give it, at most 128 KiB each.
  if ((declared ?? 0) > most)
    throw new InvalidDataError(`the zstd stream gives at most ${most} bytes, says ${declared}`);
  if (most > 4 * size.bytes + SLACK) {
    throw new InvalidDataError(`the zstd stream can give ${most} bytes, expected ${size.bytes}`);
  }
  // node:zlib stops behind the first frame.
  const decoder = frames > 1 ? decodeZstdWithNumcodecs : (installed ?? decodeZstdWithNumcodecs);
  const result = decoder(bytes, size.bytes);
  return result instanceof Promise ? result.then((decoded) => checked(decoded, size)) : checked(result, size);
}

function check(found: number, size: OutputSize): void {
  if (size.exact ? found !== size.bytes : found > size.bytes) throw wrongSize(found, size);
}

function checked(decoded: Uint8Array, size: OutputSize): Uint8Array {
  check(decoded.length, size);
  return decoded;
}
