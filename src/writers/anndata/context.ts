/** Shared by the writers of all elements: the context, and the sink of a column. */

import type { Column } from "../../arrow/column.js";
import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import type { WriterContext } from "../context.js";

/**
 * Encodings for tables that were never elements of a file: `portable` ones, which anndata 0.8 reads, too; all of 0.13; or
 * those that 0.14 writes by default, where the text of dataframes has a mask, as pandas 3 holds it.
 */
export type Profile = "portable" | "0.13" | "0.14";

export interface KeptChunks {
  /** Whether chunks are decoded to be checked, although they are copied. */
  readonly check: boolean;
}

export interface AnnDataWriterContext extends WriterContext {
  readonly container: ContainerWriter["kind"];
  readonly profile: Profile;
  /** Whether matrices keep their chunks as they are stored, and are checked nevertheless; null where none does. */
  readonly keep: KeptChunks | null;
  /** Memory for columns that wait until their encoding is known. */
  readonly columnMemory: MemoryBudget;
}

/** Limit of the bytes that are held at once. */
export class MemoryBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes bytes. @returns false if the budget is exceeded; the bytes are taken even then. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  release(bytes: number): void {
    this.#left += bytes;
  }
}

/** Takes the values of one column, batch by batch, and writes them as one element. */
export interface ColumnSink {
  write(column: Column): Promise<void>;
  /** Completes the element. */
  close(): Promise<void>;
}
