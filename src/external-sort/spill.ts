/** Where runs go that do not fit into memory. */

/** Bytes that one sort appends and reads again; nothing of them outlives the sort. */
export interface Spill {
  /** What errors call it. */
  readonly name: string;
  /**
   * Appends the parts one after another. Once it resolves their memory may be used again.
   * @returns the offset of the first byte.
   * @throws {InvalidInputError} where the disk is full or cannot be written.
   */
  append(parts: readonly Uint8Array[]): Promise<number>;
  /** Fills `target` from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
  /** Removes what was appended; appending afterwards begins anew. */
  remove(): Promise<void>;
}

/** Where one sort can put what does not fit; null where there is no such place. Import it from `#platform/spill`. */
export type NewSpill = () => Spill | null;

/** Pages have none. */
export const newSpill: NewSpill = () => null;
