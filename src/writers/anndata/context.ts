/** Code shared by the writers of all elements: the context and memory limits. */

import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import type { WriterContext } from "../context.js";

/**
 * Encodings for tables that were not read from a file: `portable` encodings, which anndata 0.8 can also read; all
 * encodings of 0.13; or the defaults of 0.14, in which text in dataframes has a mask, as in pandas 3.
 */
export type Profile = "portable" | "0.13" | "0.14";

export interface ChunkCopyOptions {
  /** Whether copied chunks are still decoded to check them. */
  readonly check: boolean;
}

export interface AnnDataWriterContext extends WriterContext {
  readonly container: ContainerWriter["kind"];
  readonly profile: Profile;
  /** Options for copying stored chunks unchanged; null if all values are encoded again. */
  readonly keep: ChunkCopyOptions | null;
  /** Memory for columns that wait until their encoding is known. */
  readonly columnMemory: MemoryBudget;
}

/** Limit on the number of bytes held at once. */
export class MemoryBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Acquires bytes. @returns false if the budget is exceeded. Even then, the bytes are acquired. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  release(bytes: number): void {
    this.#left += bytes;
  }
}
