/** Lists of entries whose values are 32-bit words, and the interface for moving them to new positions. */

export interface WordLists {
  /** The ends of the lists. The first value is the start of the first list. */
  readonly pointers: Float64Array;
  readonly minor: Int32Array;
  /** The words of the values. Moving values as numbers would change the bits of a signalling NaN. */
  readonly words: Int32Array;
  readonly wordsPerValue: 1 | 2;
}

/** Output memory for as many entries as the input has. */
export type RepositionMemory = Pick<WordLists, "minor" | "words">;

export interface Repositioning {
  /** The new position of each stored position; -1 if it is omitted. */
  readonly one: Int32Array;
  readonly kept: number;
  /** Whether the new positions ascend with the stored positions, so that lists are already sorted. */
  readonly rises: boolean;
}

/**
 * Writes the entries of all lists at their new positions to `memory`.
 * @returns the ends of the lists; null if two entries of a list have the same position.
 */
export type RepositionLists = (
  placing: Repositioning,
  lists: WordLists,
  memory: RepositionMemory,
) => Float64Array | null;
