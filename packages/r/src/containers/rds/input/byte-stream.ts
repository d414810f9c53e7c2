/** Streams of the decompressed bytes of a file, from beginning to end. */

import { createGunzipReader } from "annarrow/core/kernels";
import type { ByteSource, ReadOptions } from "annarrow/format";

export interface ByteStream {
  /**
   * Returns the next bytes, at least one; null at the end. The bytes may be in the source's memory and must not be
   * changed.
   */
  pull(): Promise<Uint8Array | null>;
  /**
   * Fills `target` with the next bytes and returns how many there were: fewer than `target` holds only at the end. The
   * method is absent if it would not save a copy.
   */
  fill?(target: Uint8Array): Promise<number>;
  /** Returns the maximum number of bytes that can still follow. */
  room(): number;
}

/** Concatenates parts with a total of `length` bytes. A single part is not copied. */
export function joinByteParts(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const BLOCK = 2 ** 18;

/** Streams the stored bytes of a file. */
export function createSourceStream(source: ByteSource, options: ReadOptions): ByteStream {
  let at = 0;
  return {
    async pull() {
      if (at === source.size) return null;
      const start = at;
      at = Math.min(at + BLOCK, source.size);
      return source.read(start, at, options);
    },
    async fill(target) {
      const start = at;
      const length = Math.min(target.length, source.size - at);
      at += length;
      if (source.readInto !== undefined) await source.readInto(start, target.subarray(0, length), options);
      else {
        // Blocks are copied one by one, so that a vector is never in memory twice.
        for (let done = 0; done < length; done += BLOCK) {
          const end = Math.min(done + BLOCK, length);
          target.set(await source.read(start + done, start + end, options), done);
        }
      }
      return length;
    },
    room: () => source.size - at,
  };
}

/** Maximum number of decompressed bytes per byte of deflate. */
const MAX_PER_BYTE = 1032;

/**
 * Streams the decompressed bytes of a gzip file, piece by piece. The checksum is verified at the end.
 * @throws {InvalidDataError} from `pull`, if the file is corrupt.
 */
export function createGunzipStream(source: ByteSource, options: ReadOptions): ByteStream {
  const stored = createSourceStream(source, options);
  const { pull, fill } = createGunzipReader(() => stored.pull());
  let given = 0;
  return {
    async pull() {
      const bytes = await pull();
      given += bytes?.length ?? 0;
      return bytes;
    },
    async fill(target) {
      const filled = await fill(target);
      given += filled;
      return filled;
    },
    room: () => Math.max(0, source.size * MAX_PER_BYTE - given),
  };
}
