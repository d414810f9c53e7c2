/**
 * Operations on unpacked values. Unless a comment says otherwise, the number of values is rounded up to a multiple of
 * 4.
 */

/** Adds the values at `other` to the values at `values`, modulo 2^32. */
export function add(values: usize, other: usize, count: u32): void {
  for (const end = values + (<usize>count << 2); values < end; values += 16, other += 16) {
    v128.store(values, i32x4.add(v128.load(values), v128.load(other)));
  }
}

/** Returns the greatest of `count` values, a multiple of 4; 0 if `count` is 0. */
export function greatest(values: usize, count: u32): u32 {
  let top = i32x4.splat(0);
  for (const end = values + (<usize>count << 2); values < end; values += 16) top = i32x4.max_u(top, v128.load(values));
  top = i32x4.max_u(top, v128.shuffle<i32>(top, top, 2, 3, 0, 1));
  top = i32x4.max_u(top, v128.shuffle<i32>(top, top, 1, 0, 3, 2));
  return i32x4.extract_lane(top, 0);
}

/** Returns 1 where one of `count` values, of any number, is less than the previous one, else 0. */
export function falls(values: usize, count: u32): u32 {
  if (count == 0) return 0;
  let found = i32x4.splat(0);
  // Each value is compared with the next one; the last value has none.
  const end = values + ((<usize>count - 1) << 2);
  let at = values;
  for (; at + 16 <= end; at += 16) found = v128.or(found, i32x4.lt_u(v128.load(at, 4), v128.load(at)));
  if (v128.any_true(found)) return 1;
  for (; at < end; at += 4) if (load<u32>(at, 4) < load<u32>(at)) return 1;
  return 0;
}

/**
 * Replaces the bits of `count` floats, of any number, by unsigned integers, up to the first float that is not a whole
 * number in 0 … 2^32 - 1. Returns the place of this float, or -1.
 */
export function wholeFloats(values: usize, count: u32): i32 {
  const limit = f32x4.splat(4294967296.0);
  const end = values + (<usize>count << 2);
  let at = values;
  for (; at + 16 <= end; at += 16) {
    const float = v128.load(at);
    const whole = i32x4.trunc_sat_f32x4_u(float);
    // The float 2^32 must be tested apart: truncation gives 2^32 - 1, which converts back to 2^32.
    const same = v128.and(f32x4.eq(f32x4.convert_i32x4_u(whole), float), f32x4.lt(float, limit));
    if (!i32x4.all_true(same)) break;
    v128.store(at, whole);
  }
  for (; at < end; at += 4) {
    const float = <f64>load<f32>(at);
    if (!(float >= 0.0 && float < 4294967296.0 && Math.floor(float) == float)) return <i32>((at - values) >> 2);
    store<u32>(at, <u32>float);
  }
  return -1;
}
