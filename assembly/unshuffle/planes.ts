/** Byte planes to values, 16 at a time: the reverse of the shuffle of Blosc and HDF5. */

@inline
function low8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

@inline
function high8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

@inline
function low16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}

@inline
function high16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

@inline
function low32(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
}

@inline
function high32(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}

/** Joins planes of `count` bytes to values of 2 bytes: the first `whole` values, a multiple of 16. */
export function unshuffle2(from: usize, to: usize, count: usize, whole: usize): void {
  for (let i: usize = 0; i < whole; i += 16, to += 32) {
    const a = v128.load(from + i);
    const b = v128.load(from + count + i);
    v128.store(to, low8(a, b));
    v128.store(to, high8(a, b), 16);
  }
}

/** Works like `unshuffle2`, to values of 4 bytes. */
export function unshuffle4(from: usize, to: usize, count: usize, whole: usize): void {
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

/** Works like `unshuffle2`, to values of 8 bytes. */
export function unshuffle8(from: usize, to: usize, count: usize, whole: usize): void {
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

/** Writes eight values, given as pairs of their bytes. */
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
