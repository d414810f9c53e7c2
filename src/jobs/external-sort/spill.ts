/** Storage for sorted runs that do not fit into memory; `spill.node.ts` is its variant for Node. */

/** Temporary storage that one sort appends to and reads back. It is removed when the sort ends. */
export interface Spill {
  readonly name: string;
  /**
   * Appends the parts one after another. Their memory may be reused once the promise resolves.
   * @returns the offset of the first byte.
   * @throws {InvalidInputError} if the disk is full or cannot be written.
   */
  append(parts: readonly Uint8Array[]): Promise<number>;
  /** Fills `target` with the bytes from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
  /** Removes all appended bytes; a later `append` begins a new file. */
  remove(): Promise<void>;
}

/** Creates the spill for one sort; null if the platform has no such storage. Import it from `#platform/spill`. */
export type NewSpill = () => Spill | null;

/** Browsers have no storage for a spill. */
export const newSpill: NewSpill = () => null;
