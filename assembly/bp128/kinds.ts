/** What is done to the values of a chunk before they are packed. */

/** Nothing. */
export const PLAIN: i32 = 0;
/** One less. */
export const M1: i32 = 1;
/** The difference from the value before, 0 for the first. */
export const D1: i32 = 2;
/** That, with its sign in the lowest bit. */
export const D1Z: i32 = 3;

/** Bytes of the values of a chunk. */
export const CHUNK_BYTES: usize = 512;
