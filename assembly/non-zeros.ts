/**
 * Search for the non-zeros of a block of values, row by row: columns, values, and the end of each row. A block has at
 * most 2^15 values. A value is zero if it has no bit set, whatever its type.
 */

const PART = 1 << 15;
const INPUT: usize = memory.data((8 << 15) + 64, 64);
/** The regions are longer than their entries, because whole vectors are written behind the last entry. */
const COLUMNS: usize = memory.data((4 << 15) + 64, 64);
const VALUES: usize = memory.data((8 << 15) + 64, 64);
const ENDS: usize = memory.data((4 << 15) + 64, 64);

/** The place for the values of the block. */
export function input(): usize { return INPUT; }
export function columns(): usize { return COLUMNS; }
export function values(): usize { return VALUES; }
/** The place of the row ends: for each row, the number of entries up to its end. */
export function ends(): usize { return ENDS; }

/** For every set of 32-bit lanes, the byte order that brings them to the front. */
const patterns = memory.data(16 << 4, 16);

for (let mask: usize = 0; mask < 16; mask++) {
  let to = patterns + (mask << 4);
  for (let lane: usize = 0; lane < 4; lane++) {
    if (((mask >> lane) & 1) == 0) continue;
    store<u32>(to, 0x03020100 + 0x04040404 * <u32>lane);
    to += 4;
  }
}

/**
 * Finds the non-zeros in `rows` x `cols` values of 4 bytes, and returns their number. Rows begin `stride` values apart.
 */
export function find4(rows: u32, cols: u32, stride: u32, first: i32): u32 {
  let column = COLUMNS;
  let value = VALUES;
  for (let row: u32 = 0; row < rows; row++) {
    let at = INPUT + (<usize>(row * stride) << 2);
    const end = at + (<usize>cols << 2);
    let lanes = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
    while (at + 64 <= end) {
      const low = v128.or(v128.load(at), v128.load(at, 16));
      const high = v128.or(v128.load(at, 32), v128.load(at, 48));
      if (!v128.any_true(v128.or(low, high))) {
        at += 64;
        lanes = i32x4.add(lanes, i32x4.splat(16));
        continue;
      }
      for (const stop = at + 64; at < stop; at += 16) {
        const four = v128.load(at);
        const mask = i32x4.bitmask(i32x4.ne(four, i32x4.splat(0)));
        const pattern = v128.load(patterns + (<usize>mask << 4));
        v128.store(value, v128.swizzle(four, pattern));
        v128.store(column, v128.swizzle(lanes, pattern));
        lanes = i32x4.add(lanes, i32x4.splat(4));
        const step = <usize>popcnt(mask) << 2;
        value += step;
        column += step;
      }
    }
    for (let col = i32x4.extract_lane(lanes, 0); at < end; at += 4) {
      const one = load<u32>(at);
      store<u32>(value, one);
      store<i32>(column, col++);
      const step = <usize>(one != 0) << 2;
      value += step;
      column += step;
    }
    store<u32>(ENDS + (<usize>row << 2), <u32>((column - COLUMNS) >> 2));
  }
  return <u32>((column - COLUMNS) >> 2);
}

/** Work like `find4`, for values of 1, 2 and 8 bytes. */
export function find1(rows: u32, cols: u32, stride: u32, first: i32): u32 { return find<u8>(rows, cols, stride, first); }
export function find2(rows: u32, cols: u32, stride: u32, first: i32): u32 { return find<u16>(rows, cols, stride, first); }
export function find8(rows: u32, cols: u32, stride: u32, first: i32): u32 { return find<u64>(rows, cols, stride, first); }

// @ts-ignore: decorator
@inline
function find<T>(rows: u32, cols: u32, stride: u32, first: i32): u32 {
  const size = sizeof<T>();
  let column = COLUMNS;
  let value = VALUES;
  for (let row: u32 = 0; row < rows; row++) {
    let at = INPUT + <usize>(row * stride) * size;
    const end = at + <usize>cols * size;
    let col = first;
    while (at < end) {
      // Zeros are skipped 16 bytes at a time.
      if (at + 16 <= end && !v128.any_true(v128.load(at))) {
        at += 16;
        col += <i32>(16 / size);
        continue;
      }
      const stop = min(end, at + 16);
      for (; at < stop; at += size) {
        const one = load<T>(at);
        store<T>(value, one);
        store<i32>(column, col++);
        const found = <usize>(one != 0);
        value += found * size;
        column += found << 2;
      }
    }
    store<u32>(ENDS + (<usize>row << 2), <u32>((column - COLUMNS) >> 2));
  }
  return <u32>((column - COLUMNS) >> 2);
}
