/** The regions of the memory, which has a fixed size. */

export const PAGE: i32 = 1 << 17;
export const BLOCK: i32 = 128;
export const MOST_ENTRIES: i32 = (1 << 16) - 1;

// Each region begins at a multiple of 64 bytes, and has room for the widest store behind its end.
export const INPUT: usize = memory.data(8 * PAGE + 64, 64);
export const INDICES: usize = memory.data(2 * PAGE + 64, 64);
/** Room for a page of 64-bit differences and the bytes in front of each block. */
export const OUTPUT: usize = memory.data(8 * PAGE + 16 * (PAGE / BLOCK) + 128, 64);
export const ENTRIES: usize = memory.data(8 * MOST_ENTRIES + 64, 64);
/** The slots of 32-bit values, with place and value in one word; for 64-bit values, only the value. */
export const TABLE: usize = memory.data(8 << 17, 64);
/** The places of 64-bit values. */
export const PLACES: usize = memory.data(2 << 17, 64);
export const DELTAS: usize = memory.data(8 * BLOCK + 64, 64);
export const ROWS: usize = memory.data(4 * BLOCK + 128, 64);
export const RANGE: usize = memory.data(16, 64);

/** The place for the page: values, indices, or the rows of `deltaRows`. */
export function input(): usize { return INPUT; }
/** The place to which a page's body is written. */
export function output(): usize { return OUTPUT; }
/** The place of the dictionary's values, in the order of their indices. */
export function entries(): usize { return ENTRIES; }
/** The place of the least value, with the greatest one 8 bytes behind it. */
export function range(): usize { return RANGE; }
/** The place where `deltaRows` expects the ends of its rows. */
export function rowEnds(): usize { return INPUT + 4 * PAGE; }
