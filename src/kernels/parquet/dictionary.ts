/** The limits of a dictionary that holds a column chunk's distinct values. */

/**
 * Maximum number of entries: as many as 16 bits can count, with 0 reserved for free slots. Normalised counts have about
 * ten thousand distinct values among 2^20.
 */
export const MAX_ENTRIES = 2 ** 16 - 1;

/** Returns the number of bits in an index into a dictionary of `size` values. */
export function indexWidth(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1);
}
