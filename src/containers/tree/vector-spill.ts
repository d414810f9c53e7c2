/** Temporary storage for vectors that are moved out of memory while a file is read. */

/** Storage outside of memory, like that of a sort (`jobs/external-sort/spill.ts`). */
export interface VectorSpill {
  /** Appends the parts one after another. @returns the offset of the first byte. */
  append(parts: readonly Uint8Array[]): Promise<number>;
  /** Fills `target` with the bytes from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}
