/** The least and the greatest value of a page. */

import { INPUT, RANGE } from "./memory";

// @ts-ignore: decorator
@inline
export function least32(v: v128): i32 {
  return min(
    min(i32x4.extract_lane(v, 0), i32x4.extract_lane(v, 1)),
    min(i32x4.extract_lane(v, 2), i32x4.extract_lane(v, 3)),
  );
}

// @ts-ignore: decorator
@inline
export function greatest32(v: v128): i32 {
  return max(
    max(i32x4.extract_lane(v, 0), i32x4.extract_lane(v, 1)),
    max(i32x4.extract_lane(v, 2), i32x4.extract_lane(v, 3)),
  );
}

/** Computes the range of `count` 32-bit integers, 1 or more; `bias` as in `delta32`. */
export function range32(count: i32, bias: i32): void {
  const end = INPUT + (<usize>count << 2);
  const signs = i32x4.splat(bias);
  let low = i32x4.splat(i32.MAX_VALUE);
  let high = i32x4.splat(i32.MIN_VALUE);
  let p = INPUT;
  for (; p + 16 <= end; p += 16) {
    const values = v128.xor(v128.load(p), signs);
    low = i32x4.min_s(low, values);
    high = i32x4.max_s(high, values);
  }
  let least = least32(low);
  let greatest = greatest32(high);
  for (; p < end; p += 4) {
    const value = load<i32>(p) ^ bias;
    least = min(least, value);
    greatest = max(greatest, value);
  }
  store<i32>(RANGE, least ^ bias);
  store<i32>(RANGE, greatest ^ bias, 8);
}

/** Works like `range32`, for 64-bit integers. */
export function range64(count: i32, bias: i32): void {
  const end = INPUT + (<usize>count << 3);
  const sign = <i64>bias << 32;
  let least = i64.MAX_VALUE;
  let greatest = i64.MIN_VALUE;
  for (let p = INPUT; p < end; p += 8) {
    const value = load<i64>(p) ^ sign;
    least = min(least, value);
    greatest = max(greatest, value);
  }
  store<i64>(RANGE, least ^ sign);
  store<i64>(RANGE, greatest ^ sign, 8);
}

/**
 * Computes the range of `count` floats. NaN is neither less nor greater. The range of nothing but NaN is +Inf … -Inf.
 */
export function rangeFloat32(count: i32): void {
  const end = INPUT + (<usize>count << 2);
  let low = f32x4.splat(Infinity);
  let high = f32x4.splat(-Infinity);
  let p = INPUT;
  for (; p + 16 <= end; p += 16) {
    const values = v128.load(p);
    low = f32x4.pmin(low, values);
    high = f32x4.pmax(high, values);
  }
  for (; p < end; p += 4) {
    const value = v128.load32_splat(p);
    low = f32x4.pmin(low, value);
    high = f32x4.pmax(high, value);
  }
  low = f32x4.pmin(low, v128.shuffle<i32>(low, low, 2, 3, 0, 1));
  high = f32x4.pmax(high, v128.shuffle<i32>(high, high, 2, 3, 0, 1));
  low = f32x4.pmin(low, v128.shuffle<i32>(low, low, 1, 0, 1, 0));
  high = f32x4.pmax(high, v128.shuffle<i32>(high, high, 1, 0, 1, 0));
  store<f32>(RANGE, f32x4.extract_lane(low, 0));
  store<f32>(RANGE, f32x4.extract_lane(high, 0), 8);
}

/** Works like `rangeFloat32`, for doubles. */
export function rangeFloat64(count: i32): void {
  const end = INPUT + (<usize>count << 3);
  let low = f64x2.splat(Infinity);
  let high = f64x2.splat(-Infinity);
  let p = INPUT;
  for (; p + 16 <= end; p += 16) {
    const values = v128.load(p);
    low = f64x2.pmin(low, values);
    high = f64x2.pmax(high, values);
  }
  if (p < end) {
    const value = v128.load64_splat(p);
    low = f64x2.pmin(low, value);
    high = f64x2.pmax(high, value);
  }
  low = f64x2.pmin(low, v128.shuffle<i64>(low, low, 1, 0));
  high = f64x2.pmax(high, v128.shuffle<i64>(high, high, 1, 0));
  store<f64>(RANGE, f64x2.extract_lane(low, 0));
  store<f64>(RANGE, f64x2.extract_lane(high, 0), 8);
}
