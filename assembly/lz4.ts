/** LZ4 blocks and the byte planes of Blosc, which lie in this memory from `base()` on. */

import { unshuffle2, unshuffle4, unshuffle8 } from "./unshuffle/planes";

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
