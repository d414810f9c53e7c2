/** Lists of entries whose values are words of 32 bits, and the work of moving them to new positions. */

/** Lists of entries, whose values are words of 32 bits. */
export interface WordLists {
  /** The ends of the lists; the first one is the start of the first list. */
  readonly pointers: Float64Array;
  readonly minor: Int32Array;
  /** The words of the values: as numbers, the bits of a signalling NaN would change. */
  readonly words: Int32Array;
  readonly wordsPerValue: 1 | 2;
}

/** Memory for as many entries as come in. */
export type PlacedMemory = Pick<WordLists, "minor" | "words">;

/** The new positions of entries. */
export interface Placing {
  /** The new position of each stored one, -1 where it is left out. */
  readonly one: Int32Array;
  /** Number of new positions. */
  readonly kept: number;
  /** Whether the new positions rise with the stored ones, so that lists are sorted already. */
  readonly rises: boolean;
}

/**
 * Writes the entries of all lists at their new positions to `memory`.
 * @returns the ends of the lists; null where two entries of a list have one position.
 */
export type PlaceLists = (placing: Placing, lists: WordLists, memory: PlacedMemory) => Float64Array | null;
