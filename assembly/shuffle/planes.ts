/** Values to byte planes, 16 at a time: the shuffle of Blosc and HDF5. */

@inline
function low64(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 0, 2);
}

@inline
function high64(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 1, 3);
}

/** Splits values of 2 bytes into planes of `count` bytes: the first `whole` values, a multiple of 16. */
export function shuffle2(from: usize, to: usize, count: usize, whole: usize): void {
  for (const end = to + whole; to < end; to += 16, from += 32) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    v128.store(to, i8x16.shuffle(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
    v128.store(to + count, i8x16.shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
  }
}

/** Return the first two planes of eight values of 4 bytes, and the other two. */
@inline
function planes01(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
}

@inline
function planes23(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
}

/** Works like `shuffle2`, from values of 4 bytes. */
export function shuffle4(from: usize, to: usize, count: usize, whole: usize): void {
  for (const end = to + whole; to < end; to += 16, from += 64) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    const ab = planes01(a, b);
    const cd = planes01(c, d);
    v128.store(to, low64(ab, cd));
    v128.store(to + count, high64(ab, cd));
    const abRest = planes23(a, b);
    const cdRest = planes23(c, d);
    v128.store(to + 2 * count, low64(abRest, cdRest));
    v128.store(to + 3 * count, high64(abRest, cdRest));
  }
}

/** Return the first four planes of four values of 8 bytes, and the other four. */
@inline
function planes0123(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
}

@inline
function planes4567(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
}

/** Writes four planes of four times four values. */
@inline
function four(to: usize, count: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  v128.store(to, low64(ab, cd));
  v128.store(to + count, high64(ab, cd));
  const abRest = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cdRest = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(to + 2 * count, low64(abRest, cdRest));
  v128.store(to + 3 * count, high64(abRest, cdRest));
}

/** Works like `shuffle2`, from values of 8 bytes. */
export function shuffle8(from: usize, to: usize, count: usize, whole: usize): void {
  for (const end = to + whole; to < end; to += 16, from += 128) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    const e = v128.load(from, 64);
    const f = v128.load(from, 80);
    const g = v128.load(from, 96);
    const h = v128.load(from, 112);
    four(to, count, planes0123(a, b), planes0123(c, d), planes0123(e, f), planes0123(g, h));
    four(to + 4 * count, count, planes4567(a, b), planes4567(c, d), planes4567(e, f), planes4567(g, h));
  }
}
