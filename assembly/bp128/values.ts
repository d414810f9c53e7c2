/** What is done to unpacked values before they leave the memory; their number is rounded up to a multiple of 4. */

/** Adds the values at `other` to those at `values`, modulo 2^32. */
export function add(values: usize, other: usize, count: u32): void {
  for (const end = values + (<usize>count << 2); values < end; values += 16, other += 16) {
    v128.store(values, i32x4.add(v128.load(values), v128.load(other)));
  }
}

/** The greatest of `count` values, a multiple of 4; 0 of none. */
export function greatest(values: usize, count: u32): u32 {
  let top = i32x4.splat(0);
  for (const end = values + (<usize>count << 2); values < end; values += 16) top = i32x4.max_u(top, v128.load(values));
  top = i32x4.max_u(top, v128.shuffle<i32>(top, top, 2, 3, 0, 1));
  top = i32x4.max_u(top, v128.shuffle<i32>(top, top, 1, 0, 3, 2));
  return i32x4.extract_lane(top, 0);
}
