/** The limits of a dictionary of the distinct values of a column chunk. */

/**
 * Maximum number of entries: as many as 16 bits can count, with 0 reserved for free slots. Normalised counts have some
 * ten thousand distinct values among 2^20.
 */
export const MAX_ENTRIES = 2 ** 16 - 1;

/** Returns the bits of an index into a dictionary of `size` values. */
export function indexWidth(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1);
}
