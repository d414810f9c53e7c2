/** Kernels for LZ4 blocks, BloscLZ streams and the byte planes of Blosc, in this memory from `base()` on. */

import { shuffle2, shuffle4, shuffle8 } from "./shuffle/planes";
import { unshuffle2, unshuffle4, unshuffle8 } from "./unshuffle/planes";

/** Returns the first byte that the caller may use. */
export function base(): usize {
  return (__heap_base + 63) & ~63;
}

/**
 * Decodes one LZ4 block of `length` bytes at `from`, which must give exactly `size` bytes at `to`. Reads up to 32 bytes
 * behind the block and writes up to 32 behind the result, where nothing else may lie. Returns false where the block is
 * corrupt.
 */
export function decode(from: usize, length: usize, to: usize, size: usize): bool {
  const first = to;
  const fromEnd = from + length;
  const toEnd = to + size;
  while (from < fromEnd) {
    const token = load<u8>(from++) as usize;
    let count = token >> 4;
    if (count == 15) {
      const last = lengthEnd(from, fromEnd);
      if (last == fromEnd) return false;
      count += 255 * (last - from) + load<u8>(last);
      from = last + 1;
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
      const last = lengthEnd(from, fromEnd);
      if (last == fromEnd) return false;
      count += 255 * (last - from) + load<u8>(last);
      from = last + 1;
    }
    count += 4;
    if (count > toEnd - to) return false;
    repeat(to, distance, count);
    to += count;
  }
  return to == toEnd;
}

/**
 * Decodes one BloscLZ stream, as `decode` does a block. The first control byte begins literals, whatever its upper bits
 * say. Distances from 8192 on take two more bytes.
 */
export function blosclz(from: usize, length: usize, to: usize, size: usize): bool {
  const first = to;
  const fromEnd = from + length;
  const toEnd = to + size;
  let control: usize = length > 0 ? (load<u8>(from) as usize) & 31 : 0;
  while (from < fromEnd) {
    from++;
    if (control < 32) {
      const count = control + 1;
      if (count > fromEnd - from || count > toEnd - to) return false;
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      from += count;
      to += count;
    } else {
      let count = (control >> 5) + 2;
      if (count == 9) {
        const last = lengthEnd(from, fromEnd);
        if (last == fromEnd) return false;
        count += 255 * (last - from) + load<u8>(last);
        from = last + 1;
      }
      if (from >= fromEnd) return false;
      let distance = ((control & 31) << 8) + (load<u8>(from++) as usize) + 1;
      if (distance == 8192) {
        if (fromEnd - from < 2) return false;
        distance += ((load<u8>(from) as usize) << 8) + (load<u8>(from, 1) as usize);
        from += 2;
      }
      if (distance > to - first || count > toEnd - to) return false;
      repeat(to, distance, count);
      to += count;
    }
    control = load<u8>(from) as usize;
  }
  return to == toEnd;
}

/** The place of the byte below 255 that ends a length; `end` where the input is cut off before. */
// @ts-ignore: decorator
@inline
function lengthEnd(from: usize, end: usize): usize {
  while (from < end && load<u8>(from) == 255) from++;
  return from;
}

/** Copies `count` bytes from `distance` before `to` to `to`, repeating them as often as needed. */
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
    // The first sixteen bytes are copied one by one, then whole periods of at least sixteen bytes.
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

/** Joins `size` planes of `count` bytes at `from` to `count` values of 2, 4 or 8 bytes at `to`. */
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

/**
 * Splits `count` values of 2, 4 or 8 bytes at `from` into `size` planes of `count` bytes at `to`. Reads up to 128 bytes
 * behind them.
 */
export function shuffle(from: usize, to: usize, count: usize, size: usize): void {
  const whole = count & ~15;
  if (size == 2) shuffle2(from, to, count, whole);
  else if (size == 4) shuffle4(from, to, count, whole);
  else shuffle8(from, to, count, whole);
  for (let plane: usize = 0; plane < size; plane++) {
    const bytes = to + plane * count;
    for (let i = whole; i < count; i++) store<u8>(bytes + i, load<u8>(from + i * size + plane));
  }
}

/**
 * A match has at least 4 bytes. No match begins in the last 12 bytes of a block, and the last 5 are always literals.
 */
const MIN_MATCH: usize = 4;
const LIMIT: usize = 12;
const LAST_LITERALS: usize = 5;
const FARTHEST: usize = 65535;
const TABLE_BITS: u32 = 13;
/** The last place of each hash of four bytes. */
const TABLE: usize = memory.data(4 << TABLE_BITS, 16);

@inline
function slotOf(word: u32): usize {
  return TABLE + (((word * 0x9e3779b1) >> (32 - TABLE_BITS)) << 2);
}

/**
 * Encodes the `size` bytes at `from` as one LZ4 block, and returns its length. `to` must have room for `size` bytes, a
 * 255th of `size`, and 16 more. Up to 32 bytes behind this room are written, and up to 32 behind the input are read.
 */
export function encode(from: usize, size: usize, to: usize): usize {
  const first = to;
  const inputEnd = from + size;
  let literals = from;
  if (size > LIMIT) {
    memory.fill(TABLE, 0, 4 << TABLE_BITS);
    const last = inputEnd - LIMIT;
    let misses: usize = 64;
    let at = from + 1;
    while (at <= last) {
      const word = load<u32>(at);
      const slot = slotOf(word);
      let candidate = from + <usize>load<u32>(slot);
      store<u32>(slot, <u32>(at - from));
      if (at - candidate > FARTHEST || load<u32>(candidate) != word) {
        // Steps grow as long as nothing repeats.
        at += misses++ >> 6;
        continue;
      }
      misses = 64;
      const end = at + matched(at + MIN_MATCH, candidate + MIN_MATCH, inputEnd - LAST_LITERALS);
      while (at > literals && candidate > from && load<u8>(at - 1) == load<u8>(candidate - 1)) {
        at--;
        candidate--;
      }
      const more = end - at;
      to = writeLiterals(to, literals, at - literals, more);
      store<u16>(to, <u16>(at - candidate));
      to += 2;
      if (more >= 15) to = writeRest(to, more - 15);
      at = end + MIN_MATCH;
      literals = at;
      if (at <= last) store<u32>(slotOf(load<u32>(at - 2)), <u32>(at - 2 - from));
    }
  }
  return writeLiterals(to, literals, inputEnd - literals, 0) - first;
}

/** Returns the length of the common run at `a` and at `b`, in front of `end`. */
@inline
function matched(a: usize, b: usize, end: usize): usize {
  const start = a;
  while (a + 8 <= end) {
    const difference = load<u64>(a) ^ load<u64>(b);
    if (difference != 0) return a + <usize>(ctz(difference) >> 3) - start;
    a += 8;
    b += 8;
  }
  while (a < end && load<u8>(a) == load<u8>(b)) {
    a++;
    b++;
  }
  return a - start;
}

/**
 * Writes a token and its literals. The match of the token is `more` bytes longer than the shortest. Returns the place
 * behind them.
 */
@inline
function writeLiterals(to: usize, from: usize, count: usize, more: usize): usize {
  const token = to++;
  if (count >= 15) to = writeRest(to, count - 15);
  store<u8>(token, (<u8>min(count, 15) << 4) | <u8>min(more, 15));
  if (count <= 32) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
  } else memory.copy(to, from, count);
  return to + count;
}

/** Writes the part of a length that does not fit into four bits. Returns the place behind it. */
function writeRest(to: usize, rest: usize): usize {
  for (; rest >= 255; rest -= 255) store<u8>(to++, 255);
  store<u8>(to, <u8>rest);
  return to + 1;
}
