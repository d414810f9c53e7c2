/**
 * Temporary storage outside memory, for vectors of a file that is read and for compressed parts of a file that is written.
 * The storage of a sort (`jobs/external-sort/spill.ts`) implements it.
 */
export interface ByteSpill {
  /** Appends the parts in order. @returns the offset of the first byte. */
  append(parts: readonly Uint8Array[]): Promise<number>;
  /** Fills `target` with the bytes stored from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}
