/** Stores copies in memory while there is room, then in a spill. */

import type { RowStorage } from "../../containers/picked/derived-array.js";

export interface RowSpill extends RowStorage {
  /** Appends the parts. Their memory may be reused once the promise resolves. @returns the offset of the first byte. */
  append(parts: readonly Uint8Array[]): Promise<number>;
}

/** Maximum total bytes of copies in memory, for all arrays whose copies have a known size. */
const MEMORY_BYTES = 2 ** 26;

export class CopyStorage {
  readonly #spill: RowSpill;
  #left: number;

  constructor(spill: RowSpill, memoryBytes = MEMORY_BYTES) {
    this.#spill = spill;
    this.#left = memoryBytes;
  }

  /** Returns storage for copies of `bytes` bytes; null if the size is unknown. */
  of(bytes: number | null): RowSpill {
    if (bytes === null || bytes > this.#left) return this.#spill;
    this.#left -= bytes;
    return new MemoryRows(bytes);
  }
}

class MemoryRows implements RowSpill {
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes);
  }

  async append(parts: readonly Uint8Array[]): Promise<number> {
    const offset = this.#length;
    for (const part of parts) {
      this.#bytes.set(part, this.#length);
      this.#length += part.length;
    }
    return offset;
  }

  async read(offset: number, target: Uint8Array): Promise<void> {
    target.set(this.#bytes.subarray(offset, offset + target.length));
  }
}

export interface CopyWriter {
  /**
   * Waits for the previous parts, then starts writing these parts.
   * @returns the offset of the first byte, which resolves once the parts are written.
   */
  append(parts: readonly Uint8Array[]): Promise<{ readonly offset: Promise<number> }>;
}

/** Calls `action` with a writer that writes while the next copies are made. Resolves after everything is written. */
export async function withWriter(storage: RowSpill, action: (writer: CopyWriter) => Promise<void>): Promise<void> {
  let writing: Promise<unknown> = Promise.resolve();
  const append = async (parts: readonly Uint8Array[]) => {
    await writing;
    const offset = storage.append(parts);
    // The next call, or the last `await` below, throws the error.
    offset.catch(() => undefined);
    writing = offset;
    return { offset };
  };
  try {
    await action({ append });
    await writing;
  } finally {
    await writing.catch(() => undefined);
  }
}
