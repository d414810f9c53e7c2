/** Spills in memory, for tests of copies. */

import type { RowSpill } from "../../../src/jobs/reorder/copy-storage.js";

/** A spill in memory, which counts the bytes. */
export function spillInMemory(): RowSpill & { readonly bytes: number[] } {
  const bytes: number[] = [];
  return {
    bytes,
    async append(parts) {
      const offset = bytes.length;
      for (const part of parts) bytes.push(...part);
      return offset;
    },
    async read(offset, target) {
      if (offset + target.length > bytes.length) throw new Error("behind the end");
      target.set(bytes.slice(offset, offset + target.length));
    },
  };
}
