/** LZ4 blocks and the byte planes of Blosc, which lie in this memory from `base()` on. */

/** The first byte that the caller may use. */
export function base(): usize {
  return (__heap_base + 63) & ~63;
}

/**
 * Undoes one LZ4 block of `length` bytes at `from`, which must give exactly `size` bytes at `to`. Reads up to 32 bytes
 * beyond the block and writes up to 32 beyond the result, where nothing else may lie. False where the block is corrupt.
 */
export function decode(from: usize, length: usize, to: usize, size: usize): bool {
  const first = to;
  const fromEnd = from + length;
  const toEnd = to + size;
  while (from < fromEnd) {
    const token = load<u8>(from++) as usize;
    let count = token >> 4;
    if (count == 15) {
      let more: usize;
      do {
        if (from >= fromEnd) return false;
        more = load<u8>(from++);
        count += more;
      } while (more == 255);
    }
    if (count > fromEnd - from || count > toEnd - to) return false;
    if (count <= 32) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
    } else memory.copy(to, from, count);
    from += count;
    to += count;
    if (from == fromEnd) break;

    if (fromEnd - from < 2) return false;
    const distance = load<u16>(from) as usize;
    from += 2;
    if (distance == 0 || distance > to - first) return false;
    count = token & 15;
    if (count == 15) {
      let more: usize;
      do {
        if (from >= fromEnd) return false;
        more = load<u8>(from++);
        count += more;
      } while (more == 255);
    }
    count += 4;
    if (count > toEnd - to) return false;
    repeat(to, distance, count);
    to += count;
  }
  return to == toEnd;
}

/** Writes `count` bytes at `to` that repeat those from `distance` before. */
// @ts-ignore: decorator
@inline
function repeat(to: usize, distance: usize, count: usize): void {
  const end = to + count;
  if (distance < 16) {
    if (distance == 1) {
      const bytes = i8x16.splat(load<i8>(to - 1));
      while (to < end) {
        v128.store(to, bytes);
        to += 16;
      }
      return;
    }
    // Sixteen bytes by hand, then whole periods that are at least as long.
    const source = to - distance;
    for (let i: usize = 0; i < 16; i++) store<u8>(to + i, load<u8>(source + i));
    to += 16;
    distance *= (15 + distance) / distance;
  }
  while (to < end) {
    v128.store(to, v128.load(to - distance));
    to += 16;
  }
}

/** From `size` planes of `count` bytes at `from` to `count` values of 2, 4 or 8 bytes at `to`. */
export function unshuffle(from: usize, to: usize, count: usize, size: usize): void {
  const whole = count & ~15;
  if (size == 2) unshuffle2(from, to, count, whole);
  else if (size == 4) unshuffle4(from, to, count, whole);
  else unshuffle8(from, to, count, whole);
  for (let plane: usize = 0; plane < size; plane++) {
    const bytes = from + plane * count;
    for (let i = whole; i < count; i++) store<u8>(to + i * size + plane, load<u8>(bytes + i));
  }
}

// @ts-ignore: decorator
@inline
function low8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function high8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// @ts-ignore: decorator
@inline
function low16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}

// @ts-ignore: decorator
@inline
function high16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

// @ts-ignore: decorator
@inline
function low32(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
}

// @ts-ignore: decorator
@inline
function high32(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}

function unshuffle2(from: usize, to: usize, count: usize, whole: usize): void {
  for (let i: usize = 0; i < whole; i += 16, to += 32) {
    const a = v128.load(from + i);
    const b = v128.load(from + count + i);
    v128.store(to, low8(a, b));
    v128.store(to, high8(a, b), 16);
  }
}

function unshuffle4(from: usize, to: usize, count: usize, whole: usize): void {
  for (let i: usize = 0; i < whole; i += 16, to += 64) {
    const a = v128.load(from + i);
    const b = v128.load(from + count + i);
    const c = v128.load(from + 2 * count + i);
    const d = v128.load(from + 3 * count + i);
    const ab = low8(a, b);
    const cd = low8(c, d);
    v128.store(to, low16(ab, cd));
    v128.store(to, high16(ab, cd), 16);
    const abHigh = high8(a, b);
    const cdHigh = high8(c, d);
    v128.store(to, low16(abHigh, cdHigh), 32);
    v128.store(to, high16(abHigh, cdHigh), 48);
  }
}

function unshuffle8(from: usize, to: usize, count: usize, whole: usize): void {
  for (let i: usize = 0; i < whole; i += 16, to += 128) {
    const a = v128.load(from + i);
    const b = v128.load(from + count + i);
    const c = v128.load(from + 2 * count + i);
    const d = v128.load(from + 3 * count + i);
    const e = v128.load(from + 4 * count + i);
    const f = v128.load(from + 5 * count + i);
    const g = v128.load(from + 6 * count + i);
    const h = v128.load(from + 7 * count + i);
    eight(to, low8(a, b), low8(c, d), low8(e, f), low8(g, h));
    eight(to + 64, high8(a, b), high8(c, d), high8(e, f), high8(g, h));
  }
}

// @ts-ignore: decorator
@inline
function eight(to: usize, ab: v128, cd: v128, ef: v128, gh: v128): void {
  const abcd = low16(ab, cd);
  const efgh = low16(ef, gh);
  v128.store(to, low32(abcd, efgh));
  v128.store(to, high32(abcd, efgh), 16);
  const abcdHigh = high16(ab, cd);
  const efghHigh = high16(ef, gh);
  v128.store(to, low32(abcdHigh, efghHigh), 32);
  v128.store(to, high32(abcdHigh, efghHigh), 48);
}
