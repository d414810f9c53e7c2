/**
 * Numbers of w bits one after the other, the least significant bit first. Eight of them fill w bytes. A store reaches
 * behind them, and the next store overwrites the excess.
 */

/** Joins eight 16-bit values to two lanes of four values. */
// @ts-ignore: decorator
@inline
function join16(values: v128, width: i32): v128 {
  const pairs = v128.or(v128.and(values, i32x4.splat(0xffff)), i32x4.shl(i32x4.shr_u(values, 16), width));
  return v128.or(v128.and(pairs, i64x2.splat(0xffffffff)), i64x2.shl(i64x2.shr_u(pairs, 32), width << 1));
}

/** Packs eight values of 1 … 8 bits. */
// @ts-ignore: decorator
@inline
function pack8(values: v128, width: i32, at: usize): void {
  const joined = join16(values, width);
  store<u64>(at, <u64>i64x2.extract_lane(joined, 0) | (<u64>i64x2.extract_lane(joined, 1) << (<u64>width << 2)));
}

/** Packs eight values of 9 … 16 bits. It shifts twice, because a shift by 64 does nothing. */
// @ts-ignore: decorator
@inline
function pack16(values: v128, width: i32, at: usize): void {
  const joined = join16(values, width);
  const low = <u64>i64x2.extract_lane(joined, 0);
  const high = <u64>i64x2.extract_lane(joined, 1);
  const used = <u64>width << 2;
  store<u64>(at, low | ((high << (used - 1)) << 1));
  store<u64>(at, high >> (64 - used), 8);
}

/** Packs 32-bit values less `base`; `count` is a multiple of 8. */
export function pack32(from: usize, count: i32, base: i32, width: i32, at: usize): usize {
  if (width == 0) return at;
  const end = from + (<usize>count << 2);
  const bases = i32x4.splat(base);
  if (width <= 8) {
    for (; from < end; from += 32) {
      const low = i32x4.sub(v128.load(from), bases);
      const high = i32x4.sub(v128.load(from, 16), bases);
      pack8(i16x8.narrow_i32x4_u(low, high), width, at);
      at += width;
    }
    return at;
  }
  if (width <= 16) {
    for (; from < end; from += 32) {
      const low = i32x4.sub(v128.load(from), bases);
      const high = i32x4.sub(v128.load(from, 16), bases);
      pack16(i16x8.narrow_i32x4_u(low, high), width, at);
      at += width;
    }
    return at;
  }
  let word: u64 = 0;
  let used: u64 = 0;
  const bits = <u64>width << 1;
  for (; from < end; from += 8) {
    const pair = <u64><u32>(load<i32>(from) - base) | (<u64><u32>(load<i32>(from, 4) - base) << width);
    word |= pair << used;
    used += bits;
    if (used >= 64) {
      store<u64>(at, word);
      at += 8;
      used -= 64;
      word = used == 0 ? 0 : pair >> (bits - used);
    }
  }
  store<u64>(at, word);
  return at + (<usize>used >> 3);
}

/** Packs 64-bit values to 33 … 64 bits; `count` is a multiple of 8. */
export function pack64(from: usize, count: i32, width: i32, at: usize): usize {
  const end = from + (<usize>count << 3);
  let word: u64 = 0;
  let used: u64 = 0;
  const bits = <u64>width;
  for (; from < end; from += 8) {
    const value = load<u64>(from);
    word |= value << used;
    used += bits;
    if (used >= 64) {
      store<u64>(at, word);
      at += 8;
      used -= 64;
      word = used == 0 ? 0 : value >> (bits - used);
    }
  }
  store<u64>(at, word);
  return at + (<usize>used >> 3);
}

/** Packs 16-bit values; `count` is a multiple of 8. */
export function packIndices(from: usize, count: i32, width: i32, at: usize): usize {
  if (width == 0) return at;
  const end = from + (<usize>count << 1);
  if (width <= 8) {
    for (; from < end; from += 16) {
      pack8(v128.load(from), width, at);
      at += width;
    }
  } else {
    for (; from < end; from += 16) {
      pack16(v128.load(from), width, at);
      at += width;
    }
  }
  return at;
}
