/** What the writing of every element needs to know. */

import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import type { Spill } from "../../external-sort/spill.js";

/** Which encodings tables get that never were elements of a file: those that anndata 0.8 reads, or those of 0.13. */
export type Profile = "portable" | "0.13";

export interface AnnDataWriterContext {
  readonly container: ContainerWriter["kind"];
  readonly profile: Profile;
  readonly lossy: boolean;
  /** Memory for columns that wait until their encoding is known. */
  readonly held: Allowance;
  readonly spill: Spill | null;
  readonly signal: AbortSignal | undefined;
  /** Collects what is otherwise than the caller may think. */
  readonly warn: (message: string) => void;
  readonly progress: (element: string, done: number, total: number | null) => void;
}

/** Bytes that may be held at the same time. */
export class Allowance {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes so many bytes; false where that is more than there are. They are taken all the same. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}
