/** Checks of minor indices, at most 2^17 at a time. `narrow64` also converts 64-bit indices to 32 bits. */

import { survey } from "./indices/survey";

const PART: i32 = 1 << 17;
const INPUT: usize = memory.data(8 * PART + 64, 64);
const OUTPUT: usize = memory.data(4 * PART + 64, 64);

/** The place for the indices of the caller, of 32 or 64 bits. */
export function input(): usize { return INPUT; }
/** The place to which `narrow64` writes 32-bit indices. */
export function output(): usize { return OUTPUT; }

/**
 * Returns the position of the first of `count` 32-bit indices that is outside [0, limit), or -1; `limit` is at most
 * 2^31.
 */
export function outside32(count: i32, limit: u32): i32 {
  const end = INPUT + (<usize>count << 2);
  let top = i32x4.splat(0);
  let at = INPUT;
  // As unsigned numbers, negative indices are greater than all limits.
  for (; at + 64 <= end; at += 64) {
    const low = i32x4.max_u(v128.load(at), v128.load(at, 16));
    const high = i32x4.max_u(v128.load(at, 32), v128.load(at, 48));
    top = i32x4.max_u(top, i32x4.max_u(low, high));
  }
  const wrong = v128.any_true(i32x4.ge_u(top, i32x4.splat(limit)));
  for (let p = wrong ? INPUT : at; p < end; p += 4) {
    if (load<u32>(p) >= limit) return <i32>((p - INPUT) >> 2);
  }
  return -1;
}

/**
 * Works like `outside32`, for 64-bit indices, signed or not. It writes the indices in front of the first one outside to
 * `output()`.
 */
export function narrow64(count: i32, limit: u32): i32 {
  const end = INPUT + (<usize>count << 3);
  let top = i32x4.splat(0);
  let high = i32x4.splat(0);
  let out = OUTPUT;
  let at = INPUT;
  for (; at + 32 <= end; at += 32) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const low = v128.shuffle<i32>(a, b, 0, 2, 4, 6);
    high = v128.or(high, v128.shuffle<i32>(a, b, 1, 3, 5, 7));
    top = i32x4.max_u(top, low);
    v128.store(out, low);
    out += 16;
  }
  const wrong = v128.any_true(high) || v128.any_true(i32x4.ge_u(top, i32x4.splat(limit)));
  out = wrong ? OUTPUT : out;
  for (let p = wrong ? INPUT : at; p < end; p += 8) {
    const index = load<u64>(p);
    if (index >= <u64>limit) return <i32>((p - INPUT) >> 3);
    store<u32>(out, <u32>index);
    out += 4;
  }
  return -1;
}

/**
 * Counts how many of `count` 32-bit indices are less than the previous one. Returns -1 where an index is outside [0,
 * limit). `limit` is at most 2^31.
 */
export function decreases32(count: i32, limit: u32): i32 {
  return survey(INPUT, count, limit);
}
