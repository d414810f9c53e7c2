/** DELTA_BINARY_PACKED: blocks of 128 differences in four miniblocks of 32. Differences wrap at the type's width. */

import { pack32, pack64 } from "./bit-packing";
import { varint, zigzag32, zigzag64 } from "./bytes";
import { BLOCK, DELTAS, INPUT, OUTPUT, ROWS, rowEnds } from "./memory";
import { greatest32, least32, range32, range64 } from "./ranges";

/** Writes the header and the first value, in front of the first block. */
function deltaHeader(count: i32, first: u64): usize {
  let at = varint(<u64>BLOCK, OUTPUT);
  at = varint(4, at);
  at = varint(<u64>count, at);
  return varint(first, at);
}

/** Writes the block of `size` values from `from` on, whose predecessor stands in front of them. */
function deltaBlock32(from: usize, size: i32, at: usize): usize {
  let least = i32x4.splat(0x7fffffff);
  // The greatest difference of a miniblock gives its width: no other difference needs more bits above the least one.
  let top0 = i32x4.splat(0x80000000);
  let top1 = top0;
  let top2 = top0;
  let top3 = top0;
  if (size == BLOCK) {
    for (let i: usize = 0; i < 128; i += 16) {
      const p = from + i;
      const d0 = i32x4.sub(v128.load(p), v128.load(p - 4));
      const d1 = i32x4.sub(v128.load(p, 128), v128.load(p, 124));
      const d2 = i32x4.sub(v128.load(p, 256), v128.load(p, 252));
      const d3 = i32x4.sub(v128.load(p, 384), v128.load(p, 380));
      v128.store(DELTAS + i, d0);
      v128.store(DELTAS + i, d1, 128);
      v128.store(DELTAS + i, d2, 256);
      v128.store(DELTAS + i, d3, 384);
      least = i32x4.min_s(least, i32x4.min_s(i32x4.min_s(d0, d1), i32x4.min_s(d2, d3)));
      top0 = i32x4.max_s(top0, d0);
      top1 = i32x4.max_s(top1, d1);
      top2 = i32x4.max_s(top2, d2);
      top3 = i32x4.max_s(top3, d3);
    }
  } else {
    let low = i32.MAX_VALUE;
    for (let i = 0; i < size; i++) {
      const p = from + (<usize>i << 2);
      const delta = load<i32>(p) - load<i32>(p - 4);
      store<i32>(DELTAS + (<usize>i << 2), delta);
      low = min(low, delta);
    }
    for (let i = size; i < BLOCK; i++) store<i32>(DELTAS + (<usize>i << 2), low);
    least = i32x4.splat(low);
    for (let i: usize = 0; i < 128; i += 16) {
      top0 = i32x4.max_s(top0, v128.load(DELTAS + i));
      top1 = i32x4.max_s(top1, v128.load(DELTAS + i, 128));
      top2 = i32x4.max_s(top2, v128.load(DELTAS + i, 256));
      top3 = i32x4.max_s(top3, v128.load(DELTAS + i, 384));
    }
  }
  const base = least32(least);
  const width0 = 32 - clz(greatest32(top0) - base);
  const width1 = 32 - clz(greatest32(top1) - base);
  const width2 = 32 - clz(greatest32(top2) - base);
  const width3 = 32 - clz(greatest32(top3) - base);
  at = varint(zigzag32(base), at);
  store<u32>(at, width0 | (width1 << 8) | (width2 << 16) | (width3 << 24));
  // A miniblock without values consists of `base`, so that its width is 0.
  at = pack32(DELTAS, 32, base, width0, at + 4);
  at = pack32(DELTAS + 128, 32, base, width1, at);
  at = pack32(DELTAS + 256, 32, base, width2, at);
  return pack32(DELTAS + 384, 32, base, width3, at);
}

/**
 * Encodes the page of `count` 32-bit integers, and computes their range.
 * @param bias 0 for signed integers, 2^31 for unsigned ones.
 * @returns the length of the body.
 */
export function delta32(count: i32, bias: i32): i32 {
  range32(count, bias);
  let at = deltaHeader(count, count == 0 ? 0 : zigzag32(load<i32>(INPUT)));
  for (let start = 1; start < count; start += BLOCK) {
    at = deltaBlock32(INPUT + (<usize>start << 2), min(BLOCK, count - start), at);
  }
  return <i32>(at - OUTPUT);
}

/** Writes the block of `size` values of 64 bits. */
function deltaBlock64(from: usize, size: i32, at: usize): usize {
  let least = i64.MAX_VALUE;
  for (let i = 0; i < size; i++) {
    const p = from + (<usize>i << 3);
    const delta = load<i64>(p) - load<i64>(p - 8);
    store<i64>(DELTAS + (<usize>i << 3), delta);
    least = min(least, delta);
  }
  for (let i = size; i < BLOCK; i++) store<i64>(DELTAS + (<usize>i << 3), least);
  at = varint(zigzag64(least), at);
  const widths = at;
  at += 4;
  const bases = i64x2.splat(least);
  for (let i: usize = 0; i < 4; i++) {
    const deltas = DELTAS + (i << 8);
    let bits = i64x2.splat(0);
    for (let k: usize = 0; k < 256; k += 16) {
      const above = i64x2.sub(v128.load(deltas + k), bases);
      v128.store(deltas + k, above);
      bits = v128.or(bits, above);
    }
    const width = 64 - <i32>clz(i64x2.extract_lane(bits, 0) | i64x2.extract_lane(bits, 1));
    store<u8>(widths + i, <u8>width);
    if (width > 32) {
      at = pack64(deltas, 32, width, at);
      continue;
    }
    // The low words replace the words that have been read.
    for (let k: usize = 0; k < 128; k += 16) {
      const low = v128.load(deltas + (k << 1));
      const high = v128.load(deltas + (k << 1), 16);
      v128.store(deltas + k, v128.shuffle<i32>(low, high, 0, 2, 4, 6));
    }
    at = pack32(deltas, 32, 0, width, at);
  }
  return at;
}

/** Works like `delta32`, for 64-bit integers. A `bias` other than 0 marks unsigned ones. */
export function delta64(count: i32, bias: i32): i32 {
  range64(count, bias);
  let at = deltaHeader(count, count == 0 ? 0 : zigzag64(load<i64>(INPUT)));
  for (let start = 1; start < count; start += BLOCK) {
    at = deltaBlock64(INPUT + (<usize>start << 3), min(BLOCK, count - start), at);
  }
  return <i32>(at - OUTPUT);
}

/**
 * Encodes the page of `count` entries of major positions. Each position is given once, at `input()`, and its end at
 * `rowEnds()`.
 * @returns the length of the body.
 */
export function deltaRows(count: i32): i32 {
  const ends = rowEnds();
  const before = ROWS + 60;
  let at = deltaHeader(count, count == 0 ? 0 : zigzag32(load<i32>(INPUT)));
  let row: usize = 0;
  for (let start = 1; start < count; start += BLOCK) {
    const size = min(BLOCK, count - start);
    // The loop finds the position of the block's predecessor.
    while (load<i32>(ends + row) < start) row += 4;
    if (load<i32>(ends + row) >= start + size) {
      // A block inside one position has only differences of 0, which need no bits.
      store<u8>(at, 0);
      store<u32>(at, 0, 1);
      at += 5;
      continue;
    }
    const end = start + size;
    for (let i = start - 1; i < end; ) {
      while (load<i32>(ends + row) <= i) row += 4;
      const stop = min(load<i32>(ends + row), end);
      const value = i32x4.splat(load<i32>(INPUT + row));
      const last = before + (<usize>(stop - start + 1) << 2);
      for (let p = before + (<usize>(i - start + 1) << 2); p < last; p += 16) v128.store(p, value);
      i = stop;
    }
    at = deltaBlock32(before + 4, size, at);
  }
  return <i32>(at - OUTPUT);
}
