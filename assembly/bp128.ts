/**
 * Kernels for BP-128, the packed integers of BPCells: chunks of 128 values in four interleaved lanes, all with one
 * width. The caller places the arrays from `start()` on, at multiples of 16 bytes.
 */

import { D1, D1Z, M1, PLAIN } from "./bp128/kinds";
import { packChunks } from "./bp128/pack";
import { unpackChunks } from "./bp128/unpack";

export { expand } from "./bp128/majors";
export { addAt, sum, toFloats } from "./bp128/sums";
export { add, falls, greatest, wholeFloats } from "./bp128/values";
export { survey } from "./indices/survey";

/** Returns the first free byte. */
export function start(): usize {
  return (__heap_base + 63) & ~(<usize>63);
}

/**
 * Unpacks `chunks` chunks from `data` on to `out`. 16 bytes behind the chunks must be readable. `idx` has chunks + 1
 * positions, of which only the differences count. `starts` has the first values, for D1 and D1Z. Returns -1, or the
 * number of the first chunk with an impossible number of words.
 */
export function unpackPlain(data: usize, idx: usize, starts: usize, out: usize, chunks: u32): i32 {
  return unpackChunks(PLAIN, data, idx, starts, out, chunks);
}
export function unpackM1(data: usize, idx: usize, starts: usize, out: usize, chunks: u32): i32 {
  return unpackChunks(M1, data, idx, starts, out, chunks);
}
export function unpackD1(data: usize, idx: usize, starts: usize, out: usize, chunks: u32): i32 {
  return unpackChunks(D1, data, idx, starts, out, chunks);
}
export function unpackD1z(data: usize, idx: usize, starts: usize, out: usize, chunks: u32): i32 {
  return unpackChunks(D1Z, data, idx, starts, out, chunks);
}

/**
 * Packs `chunks` chunks of `values` to `data`. `idx` gets chunks + 1 positions, of which the first is `position`.
 * `starts` gets the first values, for D1 and D1Z. Returns the number of words.
 */
export function packPlain(values: usize, data: usize, idx: usize, starts: usize, chunks: u32, position: u32): u32 {
  return packChunks(PLAIN, values, data, idx, starts, chunks, position);
}
export function packM1(values: usize, data: usize, idx: usize, starts: usize, chunks: u32, position: u32): u32 {
  return packChunks(M1, values, data, idx, starts, chunks, position);
}
export function packD1(values: usize, data: usize, idx: usize, starts: usize, chunks: u32, position: u32): u32 {
  return packChunks(D1, values, data, idx, starts, chunks, position);
}
export function packD1z(values: usize, data: usize, idx: usize, starts: usize, chunks: u32, position: u32): u32 {
  return packChunks(D1Z, values, data, idx, starts, chunks, position);
}
