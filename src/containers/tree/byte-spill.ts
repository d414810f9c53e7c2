/** Temporary storage for vectors that are moved out of memory while a file is being read. */

/** Storage outside memory, like the storage for sorting (`jobs/external-sort/spill.ts`). */
export interface VectorSpill {
  /** Appends the parts in order. @returns the offset of the first byte. */
  append(parts: readonly Uint8Array[]): Promise<number>;
  /** Fills `target` with the bytes stored from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}
