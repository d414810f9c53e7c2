/** Unpacking of words to values. */

import { CHUNK_BYTES, D1, D1Z, M1, PLAIN } from "./kinds";

// @ts-ignore: decorator
@inline
export function unpackChunks(kind: i32, data: usize, idx: usize, starts: usize, out: usize, chunks: u32): i32 {
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const words = load<u32>(idx, 4) - load<u32>(idx);
    if (words > 128 || words & 3) return chunk;
    const first = kind == D1 || kind == D1Z ? load<u32>(starts) : <u32>kind;
    if (words == 128) {
      // A chunk of width 32 has the unchanged values, whatever the kind.
      memory.copy(out, data, CHUNK_BYTES);
    } else if (words == 0) {
      fill(out, first);
    } else {
      unpackChunk(kind, words >> 2, data, out, first);
    }
    data += <usize>words << 2;
    out += CHUNK_BYTES;
    idx += 4;
    starts += 4;
  }
  return -1;
}

/**
 * Fills a chunk of width 0 with one value: 0 for PLAIN and 1 for M1, which are the numbers of these kinds; the first
 * value for D1 and D1Z.
 */
function fill(out: usize, value: u32): void {
  const values = i32x4.splat(value);
  for (const end = out + CHUNK_BYTES; out < end; out += 64) {
    v128.store(out, values);
    v128.store(out, values, 16);
    v128.store(out, values, 32);
    v128.store(out, values, 48);
  }
}

/** Unpacks a chunk with a width of 1 … 31. Reads up to 16 bytes behind it. */
// @ts-ignore: decorator
@inline
function unpackChunk(kind: i32, width: u32, data: usize, out: usize, first: u32): void {
  const mask = i32x4.splat(<u32>0xffffffff >>> (32 - width));
  let before = i32x4.splat(first);
  let word = v128.load(data);
  let value = word;
  let shift: u32 = 0;
  // Four steps are unrolled, because a jump to the next round costs as much as one of them.
  for (const end = out + CHUNK_BYTES; out < end; out += 64) {
    value = i32x4.shr_u(word, shift);
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      data += 16;
      word = v128.load(data);
      // Where no bits are left over, this only adds bits above the mask.
      value = v128.or(value, i32x4.shl(word, width - shift));
    }
    before = restore(kind, v128.and(value, mask), before);
    v128.store(out, before);
    value = i32x4.shr_u(word, shift);
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      data += 16;
      word = v128.load(data);
      value = v128.or(value, i32x4.shl(word, width - shift));
    }
    before = restore(kind, v128.and(value, mask), before);
    v128.store(out, before, 16);
    value = i32x4.shr_u(word, shift);
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      data += 16;
      word = v128.load(data);
      value = v128.or(value, i32x4.shl(word, width - shift));
    }
    before = restore(kind, v128.and(value, mask), before);
    v128.store(out, before, 32);
    value = i32x4.shr_u(word, shift);
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      data += 16;
      word = v128.load(data);
      value = v128.or(value, i32x4.shl(word, width - shift));
    }
    before = restore(kind, v128.and(value, mask), before);
    v128.store(out, before, 48);
  }
}

/** Undoes the transform of four values; `before` are the four values in front of them. */
// @ts-ignore: decorator
@inline
function restore(kind: i32, value: v128, before: v128): v128 {
  if (kind == PLAIN) return value;
  if (kind == M1) return i32x4.add(value, i32x4.splat(1));
  let sum = value;
  if (kind == D1Z) sum = v128.xor(i32x4.shr_u(value, 1), i32x4.shr_s(i32x4.shl(value, 31), 31));
  // A shuffle of four neighbours of eight lanes is one instruction of the processor.
  const zero = i32x4.splat(0);
  sum = i32x4.add(sum, v128.shuffle<i32>(zero, sum, 3, 4, 5, 6));
  sum = i32x4.add(sum, v128.shuffle<i32>(zero, sum, 2, 3, 4, 5));
  return i32x4.add(sum, v128.shuffle<i32>(before, before, 3, 3, 3, 3));
}
