/** A survey of indices in one pass. */

/**
 * Counts how many of `count` values, of any number, are less than the previous one. Returns -1 where a value is not
 * below `limit`.
 */
export function survey(values: usize, count: u32, limit: u32): i32 {
  if (count == 0) return 0;
  if (load<u32>(values) >= limit) return -1;
  const end = values + (<usize>count << 2);
  let sum = i32x4.splat(0);
  let top = i32x4.splat(0);
  let at = values + 4;
  for (; at + 32 <= end; at += 32) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    top = i32x4.max_u(top, i32x4.max_u(a, b));
    // A comparison gives -1 in each lane that is less.
    sum = i32x4.add(sum, i32x4.add(i32x4.lt_u(a, v128.load(at - 4)), i32x4.lt_u(b, v128.load(at + 12))));
  }
  if (v128.any_true(i32x4.ge_u(top, i32x4.splat(limit)))) return -1;
  sum = i32x4.add(sum, v128.shuffle<i32>(sum, sum, 2, 3, 0, 1));
  let found = -(i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1));
  for (; at < end; at += 4) {
    if (load<u32>(at) >= limit) return -1;
    if (load<u32>(at) < load<u32>(at - 4)) found++;
  }
  return found;
}
