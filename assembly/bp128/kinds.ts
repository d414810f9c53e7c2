/** The changes that a chunk's values undergo before they are packed. */

/** Leaves the values unchanged. */
export const PLAIN: i32 = 0;
/** Subtracts one. */
export const M1: i32 = 1;
/** Takes the difference from the previous value, 0 for the first. */
export const D1: i32 = 2;
/** Takes the difference from the previous value, with its sign in the lowest bit. */
export const D1Z: i32 = 3;

/** Bytes of a chunk's unpacked values. */
export const CHUNK_BYTES: usize = 512;
