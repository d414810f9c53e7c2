/** Reads the bytes of a file in order, decompressing a gzip file. */

import { createGunzipReader } from "../../kernels/codecs/deflate/gunzip.js";
import { inflate } from "../../kernels/codecs/deflate/inflate.js";
import { InvalidDataError } from "../../model/errors.js";
import type { ByteSource, ReadOptions } from "./source.js";

const PIECE = 2 ** 20;

/** Size in bytes of the first chunk, which suffices for a caller that only reads the head of a file. */
const FIRST_PIECE = 2 ** 16;

/** Maximum size in bytes of a block in blocked gzip (BGZF), both compressed and decompressed. */
const BLOCK = 2 ** 16;

/** Size in bytes of a block's header: the gzip header, and one extra field that contains the block size. */
const HEADER = 18;

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Yields the bytes in chunks, each of which is valid until the next one is requested. A chunk may be a view of the
 * source's memory.
 * @throws {InvalidDataError} for a corrupt gzip file.
 */
export async function* decompressSource(source: ByteSource, options: ReadOptions = {}): AsyncGenerator<Uint8Array> {
  const head = await source.read(0, Math.min(source.size, HEADER), options);
  if (!isGzip(head)) yield* pieces(source, 0, options);
  else if (blockSize(head, 0) !== null) yield* blocks(source, options);
  else yield* gunzipped(source, 0, options);
}

async function* pieces(source: ByteSource, start: number, options: ReadOptions): AsyncGenerator<Uint8Array> {
  for (let at = start; at < source.size; ) {
    options.signal?.throwIfAborted();
    const end = Math.min(source.size, at + (at === start ? FIRST_PIECE : PIECE));
    yield await source.read(at, end, options);
    at = end;
  }
}

/** Returns the size in bytes of the block at `at`; null if no block begins there. */
function blockSize(bytes: Uint8Array, at: number): number | null {
  const word = (offset: number) => bytes[at + offset] | (bytes[at + offset + 1] << 8);
  const isBlock = word(0) === 0x8b1f && word(2) === 0x0408 && word(10) === 6 && word(12) === 0x4342 && word(14) === 2;
  return isBlock && at + HEADER <= bytes.length ? word(16) + 1 : null;
}

/**
 * Yields the blocks of a file that was compressed for tabix. The file's gzip members of at most 64 KiB declare their
 * sizes, so many can be decompressed at once.
 */
async function* blocks(source: ByteSource, options: ReadOptions): AsyncGenerator<Uint8Array> {
  let memory = new Uint8Array(0);
  for (let at = 0; at < source.size; ) {
    options.signal?.throwIfAborted();
    const piece = at === 0 ? FIRST_PIECE : PIECE;
    const bytes = await source.read(at, Math.min(source.size, at + piece), options);
    let end = 0;
    let size = 0;
    for (;;) {
      const length = blockSize(bytes, end);
      if (length === null || end + length > bytes.length) break;
      const last = end + length;
      const own = new DataView(bytes.buffer, bytes.byteOffset + last - 4, 4).getUint32(0, true);
      if (length < HEADER + 8 || own > BLOCK) {
        throw new InvalidDataError(`the gzip block at byte ${at + end} has ${length} bytes, and ${own} decompressed`);
      }
      size += own;
      end = last;
    }
    // The general gzip decoder reads all other members, and rejects truncated ones.
    if (end === 0) return yield* gunzipped(source, at, options);
    if (size > memory.length) memory = new Uint8Array(size);
    const target = memory.subarray(0, size);
    if (size > 0) yield await inflate(bytes.subarray(0, end), "gzip", { bytes: size, exact: true }, target);
    at += end;
  }
}

async function* gunzipped(source: ByteSource, start: number, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const stored = pieces(source, start, options);
  const { pull } = createGunzipReader(async () => {
    const { done, value } = await stored.next();
    return done ? null : value;
  });
  for (let bytes = await pull(); bytes !== null; bytes = await pull()) yield bytes;
}
