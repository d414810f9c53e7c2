/** Decodes a gzip file that arrives in pieces. */

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
}

/** @param next returns the next piece of the file, null after the last piece. */
export function createGunzipReader(next: () => Promise<Uint8Array | null>): GunzipReader {
  let opened: Promise<GunzipKernel> | null = null;
  /** The rest of a piece that `fill` has not consumed. */
  let rest: Uint8Array | null = null;
  /** Returns at least one byte, in memory that the next call overwrites; null at the end. */
  async function some(): Promise<Uint8Array | null> {
    opened ??= openGunzipKernel();
    const kernel = await opened;
    for (;;) {
      if (rest === null && kernel.wants) kernel.feed(await next());
      const bytes = rest ?? kernel.next();
      rest = null;
      if (bytes === null || bytes.length > 0) return bytes;
    }
  }
  return {
    pull: async () => (await some())?.slice() ?? null,
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
  };
}
