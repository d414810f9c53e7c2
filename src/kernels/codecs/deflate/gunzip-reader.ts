/** Decodes a gzip file that arrives in pieces, with the kernel, or with the platform's decoder if no kernel can run. */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";
import { type GunzipKernel, openGunzipKernel } from "./gunzip-kernel.js";

export interface GunzipReader {
  /**
   * Returns the next bytes, in memory of their own; null at the end, once the checksum is verified.
   * @throws {InvalidDataError} if the file is corrupt. Errors of the source of the pieces are passed on.
   */
  pull(): Promise<Uint8Array | null>;
  /**
   * Fills `target` with the next bytes, without allocating memory for them.
   * @returns the number of bytes, which is smaller than `target` only at the end.
   * @throws {InvalidDataError} like `pull`.
   */
  fill(target: Uint8Array): Promise<number>;
  cancel(): Promise<void>;
}

/** @param next returns the next piece of the file, null after the last piece. */
export function createGunzipReader(next: () => Promise<Uint8Array | null>): GunzipReader {
  let pieces: Promise<Pieces> | null = null;
  /** The rest of a piece that `fill` has not consumed. */
  let rest: Uint8Array | null = null;
  async function some(): Promise<Uint8Array | null> {
    pieces ??= openGunzipKernel().then((kernel) => (kernel === null ? byPlatform(next) : byKernel(kernel, next)));
    const bytes = rest ?? (await (await pieces).some());
    rest = null;
    return bytes;
  }
  return {
    async pull() {
      const bytes = await some();
      return bytes === null ? null : (await pieces)?.isReused ? bytes.slice() : bytes;
    },
    async fill(target) {
      let filled = 0;
      while (filled < target.length) {
        const bytes = await some();
        if (bytes === null) break;
        const fitting = bytes.subarray(0, target.length - filled);
        target.set(fitting, filled);
        filled += fitting.length;
        if (fitting.length < bytes.length) rest = bytes.subarray(fitting.length);
      }
      return filled;
    },
    cancel: async () => (await pieces)?.cancel(),
  };
}

/** Decoded bytes of one file, from one of the decoders. */
interface Pieces {
  /** Returns at least one byte; null at the end. */
  some(): Promise<Uint8Array | null>;
  /** Whether the memory of a piece is overwritten by the next call. */
  readonly isReused: boolean;
  cancel(): Promise<void>;
}

function byKernel(kernel: GunzipKernel, next: () => Promise<Uint8Array | null>): Pieces {
  return {
    async some() {
      for (;;) {
        if (kernel.wants) kernel.feed(await next());
        const bytes = kernel.next();
        if (bytes === null || bytes.length > 0) return bytes;
      }
    },
    isReused: true,
    cancel: async () => undefined,
  };
}

function byPlatform(next: () => Promise<Uint8Array | null>): Pieces {
  let failure: unknown;
  async function* stored(): AsyncGenerator<Uint8Array> {
    try {
      for (let bytes = await next(); bytes !== null; bytes = await next()) yield bytes;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  const pieces = platform.gunzip(stored());
  return {
    async some() {
      for (;;) {
        const { done, value } = await pieces.next().catch((cause: unknown) => {
          throw failure ?? corrupt(cause);
        });
        if (done) return null;
        if (value.length > 0) return value;
      }
    },
    isReused: false,
    // The stream may throw the error for which it is cancelled a second time.
    cancel: async () => {
      await pieces.return?.().catch(() => undefined);
    },
  };
}

function corrupt(cause: unknown): InvalidDataError {
  return new InvalidDataError(`corrupt gzip stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
