/** Checks of minor indices, parts of at most 2^17 at a time; 64-bit ones become 32-bit ones on the way. */

const PART: i32 = 1 << 17;
const INPUT: usize = memory.data(8 * PART + 64, 64);
const OUTPUT: usize = memory.data(4 * PART + 64, 64);

/** Where indices are written, 32-bit ones and 64-bit ones. */
export function input(): usize { return INPUT; }
/** Where `narrow64` writes 32-bit indices. */
export function output(): usize { return OUTPUT; }

/** Position of the first of `count` 32-bit indices that is outside [0, limit), or -1; `limit` is at most 2^31. */
export function outside32(count: i32, limit: u32): i32 {
  const end = INPUT + (<usize>count << 2);
  let top = i32x4.splat(0);
  let at = INPUT;
  // Negative ones are greater than all limits.
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

/** The same for 64-bit indices, signed or not; those in front of it, or all, are written to `output()`. */
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
 * How many of `count` 32-bit indices are less than the one before them, where all are in [0, limit); -1 where not.
 * `limit` is at most 2^31.
 */
export function decreases32(count: i32, limit: u32): i32 {
  const end = INPUT + (<usize>count << 2);
  if (count > 0 && load<u32>(INPUT) >= limit) return -1;
  let sum = i32x4.splat(0);
  let top = i32x4.splat(0);
  let at = INPUT + 4;
  for (; at + 32 <= end; at += 32) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    top = i32x4.max_u(top, i32x4.max_u(a, b));
    // A lane that is less is -1.
    sum = i32x4.add(sum, i32x4.add(i32x4.lt_u(a, v128.load(at - 4)), i32x4.lt_u(b, v128.load(at + 12))));
  }
  if (v128.any_true(i32x4.ge_u(top, i32x4.splat(limit)))) return -1;
  let found = i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1);
  found += i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
  found = -found;
  for (; at < end; at += 4) {
    if (load<u32>(at) >= limit) return -1;
    if (load<u32>(at) < load<u32>(at - 4)) found++;
  }
  return found;
}
